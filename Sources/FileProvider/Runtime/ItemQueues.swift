import Dispatch
import ItemValues
import LinuxSystem

/// Queues that serialize the requests about one item, first in, first out, because providers do not expect two
/// concurrent requests about an item.
package final class ItemQueues: Sendable {
    private struct State {
        /// The waiters for each key that is in use. A free key has no entry.
        var waiting: [ExactText: [DispatchSemaphore]] = [:]
    }
    // Leaf lock.
    private let state = Lock(State())

    package init() {}

    /// Blocks until the key is free, and acquires it. Call ``end(_:)`` afterwards.
    package func begin(_ key: String) {
        let key = ExactText(key)
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
        let key = ExactText(key)
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

/// A request's ownership of a key. It ends when the request ends, or earlier after its time limit has passed. Only the
/// first call of ``end()`` has an effect.
final class Turn: Sendable {
    private let turns: ItemQueues
    private let key: String
    private let isOver = Lock(false)

    /// Blocks until `key` is free, and acquires it.
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
