import CFuse
import Glibc
import LinuxSystem

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
}

/// Tells the kernel of changes, on threads of its own.
///
/// The kernel takes a folder's lock to drop one of its names. A request for the folder has that lock until it is answered,
/// so no thread that serves requests may tell it; and a folder that is being listed for long must not keep the kernel from
/// being told of others, so each node's turn comes on a thread that no other node needs.
final class Notifier: Sendable {
    private struct State {
        /// What has not been told, by node, in order.
        var waiting: [NodeID: [Notification]] = [:]
        /// Nodes that wait and that no thread has, in order; those before `next` have been taken.
        var queue: [NodeID] = []
        var next = 0
        /// Nodes of which a thread is telling.
        var busy: Set<NodeID> = []
        var threads = 0
    }

    /// So many nodes may be locked for long before the others wait.
    private static let threadLimit = 32

    private let device: FileDescriptor
    // Innermost: nothing is called under it.
    private let state = Lock(State())

    init(_ device: FileDescriptor) { self.device = device }

    func tell(_ notification: Notification) {
        let node = notification.node
        let needsThread = state.withLock { state in
            if state.waiting[node]?.last == notification { return false }
            let isNew = state.waiting[node] == nil
            state.waiting[node, default: []].append(notification)
            guard isNew, !state.busy.contains(node) else { return false }
            state.queue.append(node)
            // One thread has many nodes' turns, as long as it gets on: it is idle only where all threads are waiting.
            guard state.threads < Self.threadLimit, state.threads <= state.busy.count else { return false }
            state.threads += 1
            return true
        }
        if needsThread { HandlerThreads.shared.run { self.run() } }
    }

    private func run() {
        while let (node, notifications) = take() {
            // Another thread goes on with other nodes, should this one have to wait.
            for notification in notifications { send(notification) }
            finish(node)
        }
    }

    private func take() -> (NodeID, [Notification])? {
        let (turn, needsThread) = state.withLock { state -> ((NodeID, [Notification])?, Bool) in
            guard state.next < state.queue.count else {
                state.queue.removeAll(keepingCapacity: true)
                state.next = 0
                state.threads -= 1
                return (nil, false)
            }
            let node = state.queue[state.next]
            state.next += 1
            if state.next > 1024, state.next * 2 > state.queue.count {
                state.queue.removeFirst(state.next)
                state.next = 0
            }
            state.busy.insert(node)
            let notifications = state.waiting.removeValue(forKey: node) ?? []
            let isStranded =
                state.next < state.queue.count && state.threads < Self.threadLimit && state.threads <= state.busy.count
            if isStranded { state.threads += 1 }
            return ((node, notifications), isStranded)
        }
        if needsThread { HandlerThreads.shared.run { self.run() } }
        return turn
    }

    private func finish(_ node: NodeID) {
        state.withLock { state in
            state.busy.remove(node)
            // What was told of it meanwhile.
            if state.waiting[node] != nil { state.queue.append(node) }
        }
    }

    // The kernel answers with ENOENT for what it does not keep, which is as good.
    private func send(_ notification: Notification) {
        switch notification {
        case .node(let node, let offset, let length):
            let body = fuse_notify_inval_inode_out(ino: node.rawValue, off: offset, len: length)
            withUnsafeBytes(of: body) { send(FUSE_NOTIFY_INVAL_INODE, $0) }
        case .entry(let name, let parent):
            let body = fuse_notify_inval_entry_out(
                parent: parent.rawValue, namelen: UInt32(name.count), flags: 0)
            send(FUSE_NOTIFY_INVAL_ENTRY, body, name)
        case .deletion(let name, let node, let parent):
            let body = fuse_notify_delete_out(
                parent: parent.rawValue, child: node.rawValue, namelen: UInt32(name.count), padding: 0)
            send(FUSE_NOTIFY_DELETE, body, name)
        case .contents(let bytes, let node, let offset):
            let body = fuse_notify_store_out(
                nodeid: node.rawValue, offset: UInt64(clamping: offset), size: UInt32(bytes.count), padding: 0)
            send(FUSE_NOTIFY_STORE, withUnsafeBytes(of: body) { Array($0) } + bytes)
        }
    }

    private func send<Body: BitwiseCopyable>(_ code: fuse_notify_code, _ body: Body, _ name: Name) {
        send(code, withUnsafeBytes(of: body) { Array($0) } + name.bytes + [0])
    }

    private func send(_ code: fuse_notify_code, _ bytes: [UInt8]) {
        bytes.withUnsafeBytes { send(code, $0) }
    }

    private func send(_ code: fuse_notify_code, _ body: UnsafeRawBufferPointer) {
        let size = MemoryLayout<fuse_out_header>.size
        var header = fuse_out_header(
            len: UInt32(size + body.count), error: Int32(bitPattern: code.rawValue), unique: 0)
        while cfuse_write(device.rawValue, &header, size, body.baseAddress, body.count) < 0, errno == EINTR {}
    }
}
