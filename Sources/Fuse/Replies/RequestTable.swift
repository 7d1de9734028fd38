import Glibc
import LinuxSystem

/// The requests that are being served, so that they can be interrupted.
///
/// Each ``Reply`` stores the index of its entry, which is called its place. Therefore the table is searched only for
/// interrupts and by ``busySince(_:)``.
package final class RequestTable: Sendable {
    private struct Entry {
        /// The kernel's identifier of the request; 0 if this entry is free.
        var unique: UInt64 = 0
        /// The node that the kernel may keep locked until the reply.
        var node = NodeID(rawValue: 0)
        /// The second node of a request that concerns two nodes.
        var other = NodeID(rawValue: 0)
        var started: Milliseconds = 0
        var isInterrupted = false
        var handler: (@Sendable () -> Void)?
    }

    private struct State {
        var entries: [Entry] = []
        var free: [Int] = []
        /// A function that is called when a request is completed.
        var watcher: (@Sendable (_ node: NodeID, _ other: NodeID) -> Void)?
    }

    // Leaf lock: handlers are called and released after it is unlocked.
    private let state = Lock(State())

    package init() {}

    /// The number of requests that are being served.
    package var count: Int { state.withLock { $0.entries.count - $0.free.count } }

    /// Sets the function to call when a request is completed, on the thread that completes it. Must be set before the
    /// first request.
    func watch(_ watcher: @escaping @Sendable (_ node: NodeID, _ other: NodeID) -> Void) {
        state.withLock { $0.watcher = watcher }
    }

    func add(_ unique: UInt64, _ node: NodeID, _ other: NodeID) -> Int {
        state.withLock { state in
            let entry = Entry(unique: unique, node: node, other: other, started: Self.now)
            if let place = state.free.popLast() {
                state.entries[place] = entry
                return place
            }
            state.entries.append(entry)
            return state.entries.count - 1
        }
    }

    func remove(at place: Int) {
        let (entry, watcher) = state.withLock { state in
            let entry = state.entries[place]
            state.entries[place] = Entry()
            state.free.append(place)
            return (entry, state.watcher)
        }
        watcher?(entry.node, entry.other)
    }

    /// A time in milliseconds of a coarse clock, which is exact to a few milliseconds. The clock is read for every
    /// request, and a coarse clock can be read quickly.
    typealias Milliseconds = Int

    static var now: Milliseconds {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC_COARSE, &time)
        return time.tv_sec * 1000 + time.tv_nsec / 1_000_000
    }

    /// Returns the time at which the oldest current request for the given node began, or `nil` if no request for the
    /// node is being served.
    func busySince(_ node: NodeID) -> Milliseconds? {
        state.withLock { state in
            var oldest: Milliseconds?
            for entry in state.entries where entry.unique != 0 && (entry.node == node || entry.other == node) {
                oldest = min(oldest ?? entry.started, entry.started)
            }
            return oldest
        }
    }

    func isInterrupted(at place: Int, _ unique: UInt64) -> Bool {
        state.withLock { $0.entries[place].unique == unique && $0.entries[place].isInterrupted }
    }

    /// Sets the function to call when the given request is interrupted. If the request is already interrupted, calls
    /// the function at once. If the request is completed, never calls the function.
    func setHandler(at place: Int, _ unique: UInt64, _ handler: @escaping @Sendable () -> Void) {
        let isInterrupted = state.withLock { state in
            guard state.entries[place].unique == unique else { return false }
            if state.entries[place].isInterrupted { return true }
            state.entries[place].handler = handler
            return false
        }
        if isInterrupted { handler() }
    }

    /// Interrupts all requests.
    func interruptAll() {
        let handlers = state.withLock { state in
            var handlers: [@Sendable () -> Void] = []
            for place in state.entries.indices where state.entries[place].unique != 0 {
                state.entries[place].isInterrupted = true
                if let handler = state.entries[place].handler.take() { handlers.append(handler) }
            }
            return handlers
        }
        for handler in handlers { handler() }
    }

    /// Interrupts a request.
    ///
    /// - Returns: `false` if the request is not in the table. Either it is completed, or the thread that has read it
    ///   has not added it yet.
    func interrupt(_ unique: UInt64) -> Bool {
        let (isFound, handler) = state.withLock { state -> (Bool, (@Sendable () -> Void)?) in
            guard let place = state.entries.firstIndex(where: { $0.unique == unique }) else { return (false, nil) }
            state.entries[place].isInterrupted = true
            let handler = state.entries[place].handler
            state.entries[place].handler = nil
            return (true, handler)
        }
        handler?()
        return isFound
    }
}
