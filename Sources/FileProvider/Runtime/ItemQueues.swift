import Dispatch
import LinuxSystem

/// Queues that serialize the requests about one item, first in, first out: providers do not expect two at once.
package final class ItemQueues: Sendable {
    private struct State {
        /// The waiters for each key that is taken. A free key has no entry.
        var waiting: [String: [DispatchSemaphore]] = [:]
    }
    // Leaf lock.
    private let state = Lock(State())

    package init() {}

    /// Waits for the turn, on a thread that may block. End it with ``end(_:)``.
    package func begin(_ key: String) {
        let wake = state.withLock { state -> DispatchSemaphore? in
            guard let waiting = state.waiting[key] else {
                state.waiting[key] = []
                return nil
            }
            let wake = DispatchSemaphore(value: 0)
            state.waiting[key] = waiting + [wake]
            return wake
        }
        wake?.wait()
    }

    package func end(_ key: String) {
        let next = state.withLock { state -> DispatchSemaphore? in
            guard var waiting = state.waiting[key], !waiting.isEmpty else {
                state.waiting[key] = nil
                return nil
            }
            let next = waiting.removeFirst()
            state.waiting[key] = waiting
            return next
        }
        next?.signal()
    }
}

/// A turn that ends only once, whether the request or its time limit ends it first.
final class Turn: Sendable {
    private let turns: ItemQueues
    private let key: String
    private let isOver = Lock(false)

    /// Waits for the turn, on a thread that may block.
    init(_ turns: ItemQueues, _ key: String) {
        self.turns = turns
        self.key = key
        turns.begin(key)
    }

    func end() {
        let isFirst = isOver.withLock { isOver in
            defer { isOver = true }
            return !isOver
        }
        if isFirst { turns.end(key) }
    }
}
