import CLinux
package import Fuse
import Glibc
import LinuxSystem

/// A file system for tests that shows the files of a directory, but not those of its subdirectories. It is stateless,
/// so that any process can take it over: nodes and handles are inode numbers.
///
/// In the process that has mounted it, reads of the file "slow" get no reply, and the creation of a directory "fatal"
/// kills the process before the reply. In processes that take it over, both names are ordinary.
package final class FolderFileSystem: FileSystem {
    private struct State {
        var waiting: [Reply<Bytes>] = []
        var backing: [NodeID: BackingFile] = [:]
        var session: Session?
    }

    private let folder: String
    private let isFirst: Bool
    private let passes: Bool
    /// The number of the backing file that the previous process has registered; `nil` if it has registered none.
    private let adopted: Int32?
    private let say: @Sendable (String) -> Void
    private let state = Lock(State())
    private static let validity = Duration.seconds(3600)

    package init(
        _ folder: String, isFirst: Bool, passes: Bool = false, adopted: Int32? = nil,
        say: @escaping @Sendable (String) -> Void
    ) {
        self.folder = folder
        self.isFirst = isFirst
        self.passes = passes
        self.adopted = adopted
        self.say = say
    }

    package func start(_ session: Session) {
        state.withLock { $0.session = session }
        guard let adopted, let file = session.backing(numbered: adopted), let name = path(of: nil, named: "passed"),
            let status = try? FileStatus.of(name)
        else { return }
        state.withLock { $0.backing[NodeID(rawValue: status.identity.inode)] = file }
    }

    package func end() { state.withLock { $0 = State() } }

    private func path(of node: NodeID?, named name: String = "") -> String? {
        guard let node, node != .root else { return name.isEmpty ? folder : folder + "/" + name }
        let entries = (try? FileDescriptor.open(folder, [.readOnly, .directory]).entries()) ?? []
        let path = entries.lazy.map { self.folder + "/" + $0.name.description }.first { path in
            (try? FileStatus.of(path, followingLinks: false))?.identity.inode == node.rawValue
        }
        return path.map { name.isEmpty ? $0 : $0 + "/" + name }
    }

    private func attributes(_ path: String, _ node: NodeID? = nil) throws(Errno) -> Attributes {
        let status = try FileStatus.of(path, followingLinks: false)
        return Attributes(
            node: node ?? NodeID(rawValue: status.identity.inode), mode: status.raw.st_mode, size: Int64(status.size))
    }

    private func entry(_ path: String) throws(Errno) -> Entry {
        let attributes = try attributes(path)
        return Entry(
            node: attributes.node, attributes: attributes, nameValidity: Self.validity, attributeValidity: .zero)
    }

    private func answer<Content>(_ reply: Reply<Content>, _ body: () throws(Errno) -> Content) {
        do throws(Errno) { reply.reply(try body()) } catch { reply.fail(error) }
    }

    package func lookup(_ name: Name, in parent: NodeID, _ reply: Reply<Entry>) {
        answer(reply) { () throws(Errno) in
            guard let path = path(of: parent, named: name.description) else { throw .noSuchFile }
            return try entry(path)
        }
    }

    package func attributes(of node: NodeID, handle: UInt64?, _ reply: Reply<AttributesReply>) {
        answer(reply) { () throws(Errno) in
            guard let path = path(of: node) else { throw .noSuchFile }
            return AttributesReply(try attributes(path, node == .root ? node : nil))
        }
    }

    package func makeDirectory(_ name: Name, in parent: NodeID, mode: UInt32, _ reply: Reply<Entry>) {
        guard let path = path(of: parent, named: name.description) else { return reply.fail(.noSuchFile) }
        let isMade = mkdir(path, 0o700) == 0
        let error = Errno.current
        if isFirst, name == "fatal" { kill(getpid(), SIGKILL) }
        guard isMade || error == .fileExists && reply.isRepeated else { return reply.fail(error) }
        if reply.isRepeated { say("repeated \(name)") }
        answer(reply) { () throws(Errno) in try entry(path) }
    }

    package func open(_ node: NodeID, _ flags: OpenFlags, _ reply: Reply<OpenReply>) {
        guard let path = path(of: node) else { return reply.fail(.noSuchFile) }
        var opening = OpenReply(handle: node.rawValue, mode: .direct)
        // A process with an open file starts programs. Each closes the file, and would wait for a flush to which no
        // server replies.
        opening.needsNoFlush = true
        if passes, path.hasSuffix("/passed") {
            do throws(Errno) {
                opening.mode = .passthrough(try backing(of: node, path))
            } catch {
                return reply.fail(error)
            }
        }
        reply.reply(opening)
    }

    private func backing(of node: NodeID, _ path: String) throws(Errno) -> BackingFile {
        try state.withLock { state throws(Errno) in
            if let known = state.backing[node] { return known }
            guard let session = state.session else { throw .inputOutput }
            let file = try session.backing(for: .open(path, .readWrite))
            state.backing[node] = file
            say("backing \(file.identifier)")
            return file
        }
    }

    package func release(_ node: NodeID, handle: UInt64, _ flags: OpenFlags, _ reply: Reply<Done>) { reply.reply() }

    package func read(_ node: NodeID, handle: UInt64, at offset: Int64, count: Int, _ reply: Reply<Bytes>) {
        guard handle == node.rawValue, let path = path(of: node) else { return reply.fail(.invalidArgument) }
        if isFirst, path.hasSuffix("/slow") {
            state.withLock { $0.waiting.append(reply) }
            return say("reading")
        }
        if reply.isRepeated { say("repeated read") }
        do throws(Errno) {
            reply.reply(reading: try .open(path, .readOnly), at: offset, count: count)
        } catch {
            reply.fail(error)
        }
    }

    package func write(
        _ node: NodeID, handle: UInt64, at offset: Int64, _ bytes: UnsafeRawBufferPointer, _ flags: WriteFlags,
        _ reply: Reply<Int>
    ) {
        guard handle == node.rawValue, let path = path(of: node) else { return reply.fail(.invalidArgument) }
        answer(reply) { () throws(Errno) in
            try FileDescriptor.open(path, .writeOnly).writeAll(bytes, at: Int(offset))
            return bytes.count
        }
    }

    package func openDirectory(_ node: NodeID, _ flags: OpenFlags, _ reply: Reply<OpenReply>) {
        reply.reply(.directory())
    }

    package func readDirectory(_ node: NodeID, handle: UInt64, after cookie: UInt64, _ reply: Reply<Listing>) {
        answer(reply) { () throws(Errno) in
            guard let path = path(of: node) else { throw .noSuchFile }
            let listing = reply.listing()
            let entries = try FileDescriptor.open(path, [.readOnly, .directory]).entries()
            for (index, entry) in entries.enumerated().dropFirst(Int(cookie)) {
                let name = entry.name.description
                guard listing.append(Name(name), try self.entry(path + "/" + name), cookie: UInt64(index + 1)) else {
                    break
                }
            }
            return listing
        }
    }
}
