import Dispatch
import LinuxSystem

/// Queues that serialize the requests about one item, first in, first out, because providers do not expect two at once.
package final class ItemQueues: Sendable {
    private struct State {
        /// The waiters for each key that is in use. A free key has no entry.
        var waiting: [String: [DispatchSemaphore]] = [:]
    }
    // Leaf lock.
    private let state = Lock(State())

    package init() {}

    /// Waits until no other caller holds a key, and takes the key. Call ``end(_:)`` afterwards. Call this on a thread
    /// that may block.
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

/// A turn that ends only once: when the request ends, or at the time limit.
final class Turn: Sendable {
    private let turns: ItemQueues
    private let key: String
    private let isOver = Lock(false)

    /// Blocks until no other turn holds `key`, and then takes it. Call this on a thread that may block.
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
