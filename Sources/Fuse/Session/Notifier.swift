import CFuse
import Glibc
import LinuxSystem
import Synchronization

/// An unsolicited message to the kernel.
enum Notification: Hashable, Sendable {
    /// FUSE_NOTIFY_INVAL_INODE: drops cached attributes and pages.
    case node(NodeID, offset: Int64, length: Int64)
    /// FUSE_NOTIFY_INVAL_ENTRY: drops a cached name.
    case entry(Name, parent: NodeID)
    /// FUSE_NOTIFY_DELETE: drops a name that was removed.
    case deletion(Name, NodeID, parent: NodeID)
    /// FUSE_NOTIFY_STORE: stores bytes in the page cache.
    case contents([UInt8], NodeID, offset: Int64)

    /// The node that the kernel locks while it processes the notification.
    var node: NodeID {
        switch self {
        case .node(let node, _, _), .contents(_, let node, _): node
        case .entry(_, let parent), .deletion(_, _, let parent): parent
        }
    }

    /// The second node that the kernel locks: the node of a removed file. `nil` for other notifications.
    var otherNode: NodeID? {
        if case .deletion(_, let node, _) = self { node } else { nil }
    }
}

/// The queue of notifications to the kernel, and the threads that write them.
///
/// To drop a name, the kernel locks the name's directory. To drop pages, it waits for reads of those pages. A request
/// holds such locks until its reply. Therefore a thread that serves requests must not write a notification.
///
/// A node's notifications are also held back while a request for the node waits. Otherwise the writing thread would
/// block in the kernel, uninterruptibly: even if this process ended, the session and its callers would hang. A request
/// may still arrive while a notification is being written. Therefore a thread writes for one node at a time, and
/// another thread continues with other nodes.
///
/// Lock order: `state`, then the table of requests.
final class Notifier: Sendable {
    private struct State {
        /// The notifications that are not written yet, by node, in order.
        var pending: [NodeID: [Notification]] = [:]
        /// The nodes that wait for a thread, in order. The nodes before the index `next` are no longer waiting.
        var queue: [NodeID] = []
        var next = 0
        /// The nodes that a thread is notifying.
        var busy: Set<NodeID> = []
        /// The nodes that are held back until requests complete. The outer key is a node that has a request. The inner
        /// key is a node that waits for this request, and the value is the time at which the waiting node began to
        /// wait.
        var held: [NodeID: [NodeID: RequestTable.Milliseconds]] = [:]
        var threads = 0
    }

    /// The maximum number of threads. If all of them block, notifications for further nodes wait.
    private static let threadLimit = 32

    private let device: FileDescriptor
    private let requests: RequestTable
    private let state = Lock(State())
    /// The number of nodes in `held`. In the common case, it is 0 and completing a request needs no lock.
    private let heldCount = Atomic(0)

    init(_ device: FileDescriptor, _ requests: RequestTable) {
        self.device = device
        self.requests = requests
    }

    /// Queues a notification, which a thread writes soon.
    func enqueue(_ notification: Notification) {
        let node = notification.node
        let needsThread = state.withLock { state in
            if state.pending[node]?.last == notification { return false }
            let isNew = state.pending[node] == nil
            state.pending[node, default: []].append(notification)
            guard isNew, !state.busy.contains(node) else { return false }
            return Self.queue(node, &state)
        }
        if needsThread { startThread() }
    }

    /// Drops cached attributes before this function returns. Does not block, because the kernel only marks the
    /// attributes as invalid.
    func invalidateAttributes(of node: NodeID) {
        NotificationWriter.write(Self.frame(.node(node, offset: -1, length: 0)), to: device.rawValue)
    }

    /// Makes the kernel drop all cached names (FUSE_NOTIFY_INC_EPOCH) and send unanswered requests again
    /// (FUSE_NOTIFY_RESEND). Must be called before a thread serves requests. Otherwise requests would be served twice.
    func takeOver() {
        for code in [cfuse_notify_inc_epoch, cfuse_notify_resend] {
            let header = fuse_out_header(
                len: UInt32(MemoryLayout<fuse_out_header>.size), error: code, unique: 0)
            NotificationWriter.write(withUnsafeBytes(of: header) { Array($0) }, to: device.rawValue)
        }
    }

    /// Queues the nodes that were held back because of a request for `node` or `other`, which has completed now.
    func requestCompleted(for node: NodeID, _ other: NodeID) {
        guard heldCount.load(ordering: .sequentiallyConsistent) > 0 else { return }
        let needsThread = state.withLock { state in
            var needsThread = false
            for node in [node, other] {
                guard let held = state.held[node] else { continue }
                for (turn, since) in held where !isHeld(for: node, since: since) {
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

    /// Adds a node to the queue. Returns whether the caller must start one more thread.
    private static func queue(_ node: NodeID, _ state: inout State) -> Bool {
        state.queue.append(node)
        // A thread handles many nodes unless it blocks. So a thread is free if there are more threads than busy nodes.
        guard state.threads < threadLimit, state.threads <= state.busy.count else { return false }
        state.threads += 1
        return true
    }

    private func startThread() { HandlerThreads.shared.run { self.run() } }

    private func run() {
        // If no writer thread can be started, this thread writes.
        let writer = try? NotificationWriter(device)
        while let (node, notifications) = take() {
            // Another thread continues with other nodes if this thread blocks.
            let frames = notifications.map(Self.frame)
            if let writer {
                writer.write(frames)
            } else {
                for frame in frames { NotificationWriter.write(frame, to: device.rawValue) }
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
                let notifications = state.pending.removeValue(forKey: node) ?? []
                let needsThread =
                    state.next < state.queue.count && state.threads < Self.threadLimit
                    && state.threads <= state.busy.count
                if needsThread { state.threads += 1 }
                return ((node, notifications), needsThread)
            }
            state.queue.removeAll(keepingCapacity: true)
            state.next = 0
            state.threads -= 1
            return (nil, false)
        }
        if needsThread { startThread() }
        return turn
    }

    /// Holds back a node if a request delays its notifications. Returns whether the node is held back.
    private func hold(_ node: NodeID, _ state: inout State) -> Bool {
        // `heldCount` is raised before the table of requests is read. Therefore a request that completes meanwhile
        // finds a count above 0.
        heldCount.add(1, ordering: .sequentiallyConsistent)
        defer { heldCount.store(state.held.count, ordering: .sequentiallyConsistent) }
        let nodes = [node] + (state.pending[node] ?? []).compactMap(\.otherNode)
        let now = RequestTable.now
        guard let blocking = nodes.first(where: { isHeld(for: $0, since: now) }) else { return false }
        state.held[blocking, default: [:]][node] = now
        return true
    }

    /// Whether a request for `node` delays notifications that have waited since the given time. For the first
    /// ``holdLimit`` milliseconds, every request delays them. After that, only a request that is at least ``holdLimit``
    /// old does. Otherwise a node in constant use would never be notified.
    private func isHeld(for node: NodeID, since: RequestTable.Milliseconds) -> Bool {
        guard let begun = requests.busySince(node) else { return false }
        let limit = RequestTable.now - Self.holdLimit
        return begun <= limit || since > limit
    }

    /// The age in milliseconds from which a request delays notifications until the request completes. A younger request
    /// delays them for at most this time.
    private static let holdLimit: RequestTable.Milliseconds = 10

    private func finish(_ node: NodeID) {
        state.withLock { state in
            state.busy.remove(node)
            // Further notifications may have been added meanwhile.
            if state.pending[node] != nil { state.queue.append(node) }
        }
    }

    /// Returns a notification as a message of the kernel's protocol.
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
