import Fuse
import Glibc
import LinuxSystem
import Synchronization

/// A read-only view of a directory at another place.
///
/// Each file that the kernel knows has a node number, and each number has a path. Files are opened when the kernel
/// opens them. With passthrough, the kernel reads them directly, without this program.
final class Mirror: FileSystem {
    /// A file that the kernel knows.
    private struct Node {
        var path: String
        /// The number of lookups that the kernel has not forgotten yet.
        var lookups: UInt64 = 0
        /// The backing file, which all open handles of a file must share.
        var backing: BackingFile?
        var openings = 0
    }

    /// An open file or directory.
    private enum Handle {
        case file(FileDescriptor)
        case folder([(name: Name, kind: Listing.Kind)])
    }

    private struct State {
        var nodes: [NodeID: Node]
        /// The node numbers of files, by the bytes of their paths. Strings would not do, because equal strings may have
        /// different bytes.
        var numbers: [[UInt8]: NodeID] = [:]
        var handles: [UInt64: Handle] = [:]
        var last: UInt64 = 1
        var session: Session?

        mutating func next() -> UInt64 {
            last += 1
            return last
        }
    }

    private let state: Mutex<State>
    private let validity: Duration = .seconds(1)

    init(of path: String) { state = Mutex(State(nodes: [.root: Node(path: path)])) }

    func start(_ session: Session) {
        let permitted = session.passthroughIsPermitted ? session : nil
        state.withLock { $0.session = permitted }
    }

    /// Ends the program, because the file system was unmounted.
    func end() { exit(0) }

    // MARK: Names and attributes

    private func path(of node: NodeID) -> String? { state.withLock { $0.nodes[node]?.path } }

    private func entry(_ name: Name, in folder: String) -> Entry? {
        // This example does not support paths that are not UTF-8.
        guard let name = name.text else { return nil }
        let path = folder + "/" + name
        var status = stat()
        guard lstat(path, &status) == 0 else { return nil }
        let node = state.withLock { state in
            let node = state.numbers[Array(path.utf8)] ?? NodeID(rawValue: state.next())
            state.numbers[Array(path.utf8)] = node
            state.nodes[node, default: Node(path: path)].lookups += 1
            return node
        }
        return Entry(
            node: node, attributes: Attributes(status, node), nameValidity: validity, attributeValidity: validity)
    }

    func lookup(_ name: Name, in parent: NodeID, _ reply: Reply<Entry>) {
        guard let folder = path(of: parent), let entry = entry(name, in: folder) else {
            return reply.fail(Errno(rawValue: ENOENT))
        }
        reply.reply(entry)
    }

    func forget(_ node: NodeID, count: UInt64) {
        state.withLock { state in
            guard node != .root, let known = state.nodes[node] else { return }
            if known.lookups > count {
                state.nodes[node]?.lookups -= count
            } else {
                state.nodes[node] = nil
                state.numbers[Array(known.path.utf8)] = nil
            }
        }
    }

    func attributes(of node: NodeID, handle: UInt64?, _ reply: Reply<AttributesReply>) {
        var status = stat()
        guard let path = path(of: node), lstat(path, &status) == 0 else { return reply.fail(Errno(rawValue: ENOENT)) }
        reply.reply(AttributesReply(Attributes(status, node), validity: validity))
    }

    func readLink(_ node: NodeID, _ reply: Reply<Bytes>) {
        guard let path = path(of: node) else { return reply.fail(Errno(rawValue: ENOENT)) }
        var target = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink(path, &target, target.count)
        guard count >= 0 else { return reply.fail(Errno(rawValue: errno)) }
        reply.reply(Bytes(target[..<count].map { UInt8(bitPattern: $0) }))
    }

    // MARK: Files

    func open(_ node: NodeID, _ flags: OpenFlags, _ reply: Reply<OpenReply>) {
        guard !flags.allowsWriting else { return reply.fail(Errno(rawValue: EROFS)) }
        guard let path = path(of: node) else { return reply.fail(Errno(rawValue: ENOENT)) }
        let number = Glibc.open(path, O_RDONLY | O_CLOEXEC)
        guard number >= 0 else { return reply.fail(Errno(rawValue: errno)) }
        let file = FileDescriptor(owning: number)
        let opening = state.withLock { state in
            let handle = state.next()
            state.handles[handle] = .file(file)
            state.nodes[node]?.openings += 1
            if state.nodes[node]?.backing == nil, state.nodes[node]?.openings == 1 {
                state.nodes[node]?.backing = try? state.session?.backing(for: file)
            }
            let backing = state.nodes[node]?.backing
            return OpenReply(handle: handle, mode: backing.map { .passthrough($0) } ?? .cached(keepsPages: false))
        }
        reply.reply(opening)
    }

    func read(_ node: NodeID, handle: UInt64, at offset: Int64, count: Int, _ reply: Reply<Bytes>) {
        guard case .file(let file) = state.withLock({ $0.handles[handle] }) else {
            return reply.fail(Errno(rawValue: EBADF))
        }
        reply.reply(reading: file, at: offset, count: count)
    }

    func release(_ node: NodeID, handle: UInt64, _ flags: OpenFlags, _ reply: Reply<Done>) {
        state.withLock { state in
            state.handles[handle] = nil
            state.nodes[node]?.openings -= 1
            if state.nodes[node]?.openings == 0 { state.nodes[node]?.backing = nil }
        }
        reply.reply()
    }

    // MARK: Directories

    func openDirectory(_ node: NodeID, _ flags: OpenFlags, _ reply: Reply<OpenReply>) {
        guard let path = path(of: node), let stream = opendir(path) else { return reply.fail(Errno(rawValue: ENOENT)) }
        var entries: [(name: Name, kind: Listing.Kind)] = []
        while let entry = Glibc.readdir(stream) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { Name(bytes: $0) }
            entries.append((name, Listing.Kind(rawValue: UInt32(entry.pointee.d_type)) ?? .unknown))
        }
        closedir(stream)
        let handle = state.withLock { state in
            let handle = state.next()
            state.handles[handle] = .folder(entries)
            return handle
        }
        reply.reply(.directory(handle: handle))
    }

    func readDirectory(_ node: NodeID, handle: UInt64, after cookie: UInt64, _ reply: Reply<Listing>) {
        guard case .folder(let entries) = state.withLock({ $0.handles[handle] }) else {
            return reply.fail(Errno(rawValue: EBADF))
        }
        let listing = reply.listing()
        for (index, entry) in entries.enumerated().dropFirst(Int(clamping: cookie)) {
            // The kernel does not look up this number, so it may be any number except 0.
            let node = NodeID(rawValue: .max)
            guard listing.append(entry.name, node: node, kind: entry.kind, cookie: UInt64(index) + 1) else { break }
        }
        reply.reply(listing)
    }

    func releaseDirectory(_ node: NodeID, handle: UInt64, _ reply: Reply<Done>) {
        state.withLock { $0.handles[handle] = nil }
        reply.reply()
    }
}

extension Attributes {
    init(_ status: stat, _ node: NodeID) {
        self.init(
            node: node, mode: status.st_mode, size: Int64(status.st_size), blocks: UInt64(status.st_blocks),
            linkCount: UInt32(status.st_nlink), accessed: Timestamp(status.st_atim),
            modified: Timestamp(status.st_mtim), changed: Timestamp(status.st_ctim), owner: status.st_uid,
            group: status.st_gid)
    }
}

extension Timestamp {
    init(_ time: timespec) { self.init(seconds: Int64(time.tv_sec), nanoseconds: UInt32(time.tv_nsec)) }
}
