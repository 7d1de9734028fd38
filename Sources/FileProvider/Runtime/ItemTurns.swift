import Dispatch
import LinuxSystem

/// Lets one question at a time work on an item, in the order of their coming: client code is not made for two at once.
package final class ItemTurns: Sendable {
    private struct State {
        /// Those who wait for a key that somebody has; a key that nobody has is not there.
        var waiting: [String: [DispatchSemaphore]] = [:]
    }
    // Innermost.
    private let state = Lock(State())

    package init() {}

    /// Waits for the turn, on a thread that may block. Give it back with ``end(_:)``.
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

/// A turn that is given back once, whoever does it first: the question's end, or its time limit.
final class Turn: Sendable {
    private let turns: ItemTurns
    private let key: String
    private let isOver = Lock(false)

    /// Waits for it, on a thread that may block.
    init(_ turns: ItemTurns, _ key: String) {
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
