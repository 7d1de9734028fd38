import CFuse
import Glibc
import LinuxSystem
import Synchronization

/// Something that the kernel is told without having asked.
enum Notification: Hashable, Sendable {
    case node(NodeID, offset: Int64, length: Int64)
    case entry(Name, parent: NodeID)
    case deletion(Name, NodeID, parent: NodeID)
    case contents([UInt8], NodeID, offset: Int64)

    /// The node whose lock the kernel takes.
    var node: NodeID {
        switch self {
        case .node(let node, _, _), .contents(_, let node, _): node
        case .entry(_, let parent), .deletion(_, _, let parent): parent
        }
    }

    /// A second node whose lock it takes: a removed file's.
    var otherNode: NodeID? {
        if case .deletion(_, let node, _) = self { node } else { nil }
    }
}

/// Tells the kernel of changes, on threads of its own.
///
/// The kernel takes a folder's lock to drop one of its names, and waits for pages that are being read to drop them. A request has
/// such locks until it is answered, so no thread that serves requests may tell it. Nor is the kernel told of a node while a
/// request for it waits: whoever tells would wait as well, in a way that nothing ends, not even the end of this process, which
/// would then keep the session and all who wait for it. That leaves requests that come as the kernel is being told; each node's
/// turn is on a thread that no other node needs then.
///
/// Lock order: `state`, then the table of requests.
final class Notifier: Sendable {
    private struct State {
        /// What has not been told, by node, in order.
        var waiting: [NodeID: [Notification]] = [:]
        /// Nodes that wait and that no thread has, in order; those before `next` have been taken.
        var queue: [NodeID] = []
        var next = 0
        /// Nodes of which a thread is telling.
        var busy: Set<NodeID> = []
        /// Nodes that wait for a request to be over: for each, the nodes whose turns wait, and since when.
        var held: [NodeID: [NodeID: RequestTable.Milliseconds]] = [:]
        var threads = 0
    }

    /// So many nodes may be locked for long before the others wait.
    private static let threadLimit = 32

    private let device: FileDescriptor
    private let requests: RequestTable
    private let state = Lock(State())
    /// How many nodes are in `held`, for those who need not look then.
    private let heldCount = Atomic(0)

    init(_ device: FileDescriptor, _ requests: RequestTable) {
        self.device = device
        self.requests = requests
    }

    func tell(_ notification: Notification) {
        let node = notification.node
        let needsThread = state.withLock { state in
            if state.waiting[node]?.last == notification { return false }
            let isNew = state.waiting[node] == nil
            state.waiting[node, default: []].append(notification)
            guard isNew, !state.busy.contains(node) else { return false }
            return Self.queue(node, &state)
        }
        if needsThread { startThread() }
    }

    /// Tells of attributes alone, at once: the kernel only marks them.
    func tellOfAttributes(of node: NodeID) {
        Teller.write(Self.frame(.node(node, offset: -1, length: 0)), to: device.rawValue)
    }

    /// Has the kernel send again what was read and not answered, and drop every name that it knows. Before anybody serves requests,
    /// which would come twice otherwise.
    func takeOver() {
        for code in [cfuse_notify_inc_epoch, cfuse_notify_resend] {
            let header = fuse_out_header(
                len: UInt32(MemoryLayout<fuse_out_header>.size), error: code, unique: 0)
            Teller.write(withUnsafeBytes(of: header) { Array($0) }, to: device.rawValue)
        }
    }

    /// A request for these nodes is over.
    func requestIsOver(for node: NodeID, _ other: NodeID) {
        guard heldCount.load(ordering: .sequentiallyConsistent) > 0 else { return }
        let needsThread = state.withLock { state in
            var needsThread = false
            for node in [node, other] {
                guard let held = state.held[node] else { continue }
                for (turn, since) in held where !mustWait(for: node, since: since) {
                    state.held[node]?[turn] = nil
                    needsThread = Self.queue(turn, &state) || needsThread
                }
                if state.held[node]?.isEmpty == true { state.held[node] = nil }
            }
            heldCount.store(state.held.count, ordering: .sequentiallyConsistent)
            return needsThread
        }
        if needsThread { startThread() }
    }

    /// Puts a node in the queue; whether it takes one more thread.
    private static func queue(_ node: NodeID, _ state: inout State) -> Bool {
        state.queue.append(node)
        // One thread has many nodes' turns, as long as it gets on: it is idle only where all threads are waiting.
        guard state.threads < threadLimit, state.threads <= state.busy.count else { return false }
        state.threads += 1
        return true
    }

    private func startThread() { HandlerThreads.shared.run { self.run() } }

    private func run() {
        // Where no thread can be had, this one tells.
        let teller = try? Teller(device)
        while let (node, notifications) = take() {
            // Another thread goes on with other nodes, should this one have to wait.
            let frames = notifications.map(Self.frame)
            if let teller {
                teller.write(frames)
            } else {
                for frame in frames { Teller.write(frame, to: device.rawValue) }
            }
            finish(node)
        }
    }

    private func take() -> (NodeID, [Notification])? {
        let (turn, needsThread) = state.withLock { state -> ((NodeID, [Notification])?, Bool) in
            while state.next < state.queue.count {
                let node = state.queue[state.next]
                state.next += 1
                if state.next > 1024, state.next * 2 > state.queue.count {
                    state.queue.removeFirst(state.next)
                    state.next = 0
                }
                guard !hold(node, &state) else { continue }
                state.busy.insert(node)
                let notifications = state.waiting.removeValue(forKey: node) ?? []
                let isStranded =
                    state.next < state.queue.count && state.threads < Self.threadLimit
                    && state.threads <= state.busy.count
                if isStranded { state.threads += 1 }
                return ((node, notifications), isStranded)
            }
            state.queue.removeAll(keepingCapacity: true)
            state.next = 0
            state.threads -= 1
            return (nil, false)
        }
        if needsThread { startThread() }
        return turn
    }

    /// Whether a node's turn has to wait for a request to be over.
    private func hold(_ node: NodeID, _ state: inout State) -> Bool {
        // Before looking, so that a request that ends meanwhile sees it.
        heldCount.add(1, ordering: .sequentiallyConsistent)
        defer { heldCount.store(state.held.count, ordering: .sequentiallyConsistent) }
        let nodes = [node] + (state.waiting[node] ?? []).compactMap(\.otherNode)
        let now = RequestTable.now
        guard let blocking = nodes.first(where: { mustWait(for: $0, since: now) }) else { return false }
        state.held[blocking, default: [:]][node] = now
        return true
    }

    /// For any request at first; after a while only for requests that take long, or a node that is much in use would never
    /// have its turn.
    private func mustWait(for node: NodeID, since: RequestTable.Milliseconds) -> Bool {
        guard let begun = requests.busySince(node) else { return false }
        let limit = RequestTable.now - Self.patience
        return begun <= limit || since > limit
    }

    private static let patience: RequestTable.Milliseconds = 10

    private func finish(_ node: NodeID) {
        state.withLock { state in
            state.busy.remove(node)
            // What was told of it meanwhile.
            if state.waiting[node] != nil { state.queue.append(node) }
        }
    }

    /// A notification as a message of the kernel's protocol.
    private static func frame(_ notification: Notification) -> [UInt8] {
        switch notification {
        case .node(let node, let offset, let length):
            frame(
                FUSE_NOTIFY_INVAL_INODE, fuse_notify_inval_inode_out(ino: node.rawValue, off: offset, len: length))
        case .entry(let name, let parent):
            frame(
                FUSE_NOTIFY_INVAL_ENTRY,
                fuse_notify_inval_entry_out(parent: parent.rawValue, namelen: UInt32(name.count), flags: 0),
                name.bytes + [0])
        case .deletion(let name, let node, let parent):
            frame(
                FUSE_NOTIFY_DELETE,
                fuse_notify_delete_out(
                    parent: parent.rawValue, child: node.rawValue, namelen: UInt32(name.count), padding: 0),
                name.bytes + [0])
        case .contents(let bytes, let node, let offset):
            frame(
                FUSE_NOTIFY_STORE,
                fuse_notify_store_out(
                    nodeid: node.rawValue, offset: UInt64(clamping: offset), size: UInt32(bytes.count), padding: 0),
                bytes)
        }
    }

    private static func frame<Body: BitwiseCopyable>(
        _ code: fuse_notify_code, _ body: Body, _ rest: [UInt8] = []
    ) -> [UInt8] {
        let size = MemoryLayout<fuse_out_header>.size + MemoryLayout<Body>.size + rest.count
        let header = fuse_out_header(len: UInt32(size), error: Int32(bitPattern: code.rawValue), unique: 0)
        var frame: [UInt8] = []
        frame.reserveCapacity(size)
        withUnsafeBytes(of: header) { frame.append(contentsOf: $0) }
        withUnsafeBytes(of: body) { frame.append(contentsOf: $0) }
        frame.append(contentsOf: rest)
        return frame
    }
}
