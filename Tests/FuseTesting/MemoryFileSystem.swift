import CLinux
package import Fuse
import Glibc
import LinuxSystem

/// A file system for tests, whose files are memory files.
package final class MemoryFileSystem: FileSystem {
    package enum Way: Sendable { case cached, keeping, direct, passthrough }

    struct Node {
        enum Kind {
            case folder([Name: (node: NodeID, cookie: UInt64)])
            case file(FileDescriptor)
            case link(Name)
            case other
        }
        var kind: Kind
        var attributes: Attributes
        var extended: [Name: [UInt8]] = [:]
        var lookups: UInt64 = 0
        var openings = 0
        var backing: BackingFile?
    }

    struct State {
        var nodes: [NodeID: Node] = [:]
        var last: UInt64 = 1
        var lastCookie: UInt64 = 0
        var session: Session?
        var hasEnded = false
        var locks: [NodeID: (owner: UInt64, lock: FileLock)] = [:]
        /// Reads of files with the attribute "user.never", which get a reply only when they are interrupted.
        var waiting: [UInt64: Reply<Bytes>] = [:]
        /// Listings of directories with the attribute "user.never", which get no reply.
        var waitingListings: [Reply<Listing>] = []
        /// The calls that get no reply, by node.
        var unanswered: [NodeID: Set<String>] = [:]
        var unansweredReplies: [any Sendable] = []
        var calls: [String: Int] = [:]
    }

    package let way: Way
    package let validity: Duration
    let state: Lock<State>

    package init(_ way: Way = .cached, validity: Duration = .zero) {
        self.way = way
        self.validity = validity
        let root = Node(kind: .folder([:]), attributes: Attributes(node: .root, mode: S_IFDIR | 0o755, linkCount: 2))
        state = Lock(State(nodes: [.root: root]))
    }

    package func start(_ session: Session) { state.withLock { $0.session = session } }
    package func end() {
        state.withLock { state in
            state.hasEnded = true
            state.session = nil
        }
    }

    // MARK: Test control

    package var hasEnded: Bool { state.withLock { $0.hasEnded } }
    /// The number of nodes that are retained because the kernel may refer to them.
    package var nodeCount: Int { state.withLock { $0.nodes.count } }
    package func calls(_ name: String) -> Int { state.withLock { $0.calls[name] ?? 0 } }
    package var waitingListings: Int { state.withLock { $0.waitingListings.count } }
    package var waitingReads: Int { state.withLock { $0.waiting.count } }

    /// Creates a file without notifying the kernel.
    @discardableResult
    package func add(_ name: Name, in parent: NodeID = .root, _ contents: [UInt8] = []) throws -> NodeID {
        let file = try MemoryFile.create(name: "file")
        try contents.withUnsafeBytes { try file.writeAll($0, at: 0) }
        return try state.withLock { state in
            try state.insert(name, in: parent, .file(file), mode: S_IFREG | 0o644).get().node
        }
    }

    /// Creates many files without notifying the kernel. They share their contents, because the process's descriptors
    /// are limited and other tests use them, too.
    package func addMany(_ names: [Name]) throws {
        let file = try MemoryFile.create(name: "shared")
        try state.withLock { state in
            for name in names { _ = try state.insert(name, in: .root, .file(file), mode: S_IFREG | 0o644).get() }
        }
    }

    /// Removes a name without notifying the kernel.
    package func take(_ name: Name, from parent: NodeID = .root) {
        state.withLock { state in _ = state.detach(name, from: parent) }
    }

    package func overwrite(_ node: NodeID, _ contents: [UInt8]) throws {
        guard let file = state.withLock({ $0.file(node) }) else { return }
        try file.truncate(to: 0)
        try contents.withUnsafeBytes { try file.writeAll($0, at: 0) }
    }

    /// Sets whether reads of a file block the thread that serves them.
    package func block(_ node: NodeID, _ blocks: Bool) {
        state.withLock { $0.nodes[node]?.extended["user.blocks"] = blocks ? [] : nil }
    }

    /// Withholds the replies to all further calls of a kind for a node: "attributes" or "flush", as in ``calls(_:)``.
    package func neverAnswer(_ call: String, of node: NodeID) {
        state.withLock { _ = $0.unanswered[node, default: []].insert(call) }
    }

    func isUnanswered(_ call: String, of node: NodeID, _ reply: some Sendable) -> Bool {
        state.withLock { state in
            guard state.unanswered[node]?.contains(call) == true else { return false }
            state.unansweredReplies.append(reply)
            return true
        }
    }

    func count(_ call: String) { state.withLock { $0.calls[call, default: 0] += 1 } }

    func entry(_ node: Node) -> Entry {
        Entry(
            node: node.attributes.node, attributes: node.attributesNow, nameValidity: validity,
            attributeValidity: validity)
    }

    private func answer(_ reply: Reply<Entry>, _ result: Result<(node: NodeID, full: Node), Errno>) {
        reply.reply(with: result.map { entry($0.full) })
    }

    // MARK: Names

    package func lookup(_ name: Name, in parent: NodeID, _ reply: Reply<Entry>) {
        count("lookup")
        let found = state.withLock { state -> Node? in
            guard let node = state.child(name, of: parent) else { return nil }
            state.nodes[node]?.lookups += 1
            return state.nodes[node]
        }
        guard let found else {
            return validity > .zero ? reply.reply(.none(nameValidity: validity)) : reply.fail(.noSuchFile)
        }
        reply.reply(entry(found))
    }

    package func forget(_ node: NodeID, count: UInt64) {
        state.withLock { state in
            let lookups = state.nodes[node]?.lookups ?? 0
            state.nodes[node]?.lookups = lookups - min(count, lookups)
            state.dropUnused(node)
        }
    }

    private func make(_ name: Name, _ parent: NodeID, _ kind: Node.Kind, _ mode: UInt32, _ caller: Caller)
        -> Result<(node: NodeID, full: Node), Errno>
    {
        state.withLock { state in
            state.insert(name, in: parent, kind, mode: mode, caller).map { made in
                state.nodes[made.node]?.lookups = 1
                return made
            }
        }
    }

    package func makeDirectory(_ name: Name, in parent: NodeID, mode: UInt32, _ reply: Reply<Entry>) {
        answer(reply, make(name, parent, .folder([:]), S_IFDIR | mode, reply.caller))
    }

    package func makeSymbolicLink(_ name: Name, in parent: NodeID, target: Name, _ reply: Reply<Entry>) {
        answer(reply, make(name, parent, .link(target), S_IFLNK | 0o777, reply.caller))
    }

    package func makeNode(_ name: Name, in parent: NodeID, mode: UInt32, device: UInt32, _ reply: Reply<Entry>) {
        answer(reply, make(name, parent, .other, mode, reply.caller))
    }

    package func makeLink(to node: NodeID, _ name: Name, in parent: NodeID, _ reply: Reply<Entry>) {
        answer(reply, state.withLock { $0.link(node, name, in: parent) })
    }

    package func unlink(_ name: Name, in parent: NodeID, _ reply: Reply<Done>) {
        reply.reply(with: state.withLock { $0.remove(name, from: parent, folder: false) })
    }

    package func removeDirectory(_ name: Name, in parent: NodeID, _ reply: Reply<Done>) {
        reply.reply(with: state.withLock { $0.remove(name, from: parent, folder: true) })
    }

    package func rename(
        _ name: Name, in parent: NodeID, to newName: Name, in newParent: NodeID, _ flags: RenameFlags,
        _ reply: Reply<Done>
    ) {
        reply.reply(with: state.withLock { $0.rename(name, parent, newName, newParent, flags) })
    }

    // MARK: Attributes

    package func attributes(of node: NodeID, handle: UInt64?, _ reply: Reply<AttributesReply>) {
        count("attributes")
        if isUnanswered("attributes", of: node, reply) { return }
        guard let found = state.withLock({ $0.nodes[node] }) else { return reply.fail(.noSuchFile) }
        reply.reply(AttributesReply(found.attributesNow, validity: validity))
    }

    package func setAttributes(of node: NodeID, _ change: AttributeChange, _ reply: Reply<AttributesReply>) {
        let result = state.withLock { $0.change(node, change) }
        reply.reply(with: result.map { AttributesReply($0, validity: validity) })
    }

    package func readLink(_ node: NodeID, _ reply: Reply<Bytes>) {
        guard case .link(let target) = state.withLock({ $0.nodes[node]?.kind }) else {
            return reply.fail(.invalidArgument)
        }
        reply.reply(Bytes(target))
    }

    package func statistics(_ reply: Reply<Statistics>) {
        var statistics = Statistics()
        statistics.blocks = 1000
        statistics.freeBlocks = 500
        statistics.availableBlocks = 400
        reply.reply(statistics)
    }

    package func extendedAttribute(_ name: Name, of node: NodeID, _ reply: Reply<Bytes>) {
        guard let value = state.withLock({ $0.nodes[node]?.extended[name] }) else { return reply.fail(.noData) }
        reply.reply(Bytes(value))
    }

    package func extendedAttributes(of node: NodeID, _ reply: Reply<NameList>) {
        reply.reply(NameList(state.withLock { $0.nodes[node]?.extended.keys.sorted() ?? [] }))
    }

    package func setExtendedAttribute(
        _ name: Name, of node: NodeID, to value: UnsafeRawBufferPointer, _ policy: AttributePolicy, _ reply: Reply<Done>
    ) {
        let bytes = Array(value)
        let error = state.withLock { state -> Errno? in
            let exists = state.nodes[node]?.extended[name] != nil
            if policy == .create, exists { return .fileExists }
            if policy == .replace, !exists { return .noData }
            state.nodes[node]?.extended[name] = bytes
            return nil
        }
        if let error { reply.fail(error) } else { reply.reply() }
    }

    package func removeExtendedAttribute(_ name: Name, of node: NodeID, _ reply: Reply<Done>) {
        let value = state.withLock { $0.nodes[node]?.extended.removeValue(forKey: name) }
        if value == nil { reply.fail(.noData) } else { reply.reply() }
    }
}
