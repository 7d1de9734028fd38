import LinuxSystem

/// A semaphore for calls: it limits the number of concurrent calls, and lets others wait in order.
///
/// It must only be used for calls that are answered soon, as an unanswered call holds its permit.
final class CallGate: Sendable {
    typealias Turn = @Sendable () -> Void

    private struct State {
        var free: Int
        var waiting = WaitingLine<Turn>()
    }

    // Leaf lock: turns run after it is released.
    private let state: Lock<State>

    init(width: Int) { state = Lock(State(free: width)) }

    /// Runs a function once a permit is available. Call ``leave()`` once when the call has ended.
    func enter(_ turn: @escaping Turn) {
        let isFree = state.withLock { state in
            if state.free == 0 {
                state.waiting.append(turn)
                return false
            }
            state.free -= 1
            return true
        }
        if isFree { turn() }
    }

    func leave() {
        let next = state.withLock { state in
            let next = state.waiting.popFirst()
            if next == nil { state.free += 1 }
            return next
        }
        next?()
    }
}
