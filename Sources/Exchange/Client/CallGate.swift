import LinuxSystem

/// Lets so many calls be under way at a time and makes the others wait for their turn, in order.
///
/// Only for calls that are answered soon: one that is never answered keeps its place.
final class CallGate: Sendable {
    typealias Turn = @Sendable () -> Void

    private struct State {
        var free: Int
        var waiting = WaitingLine<Turn>()
    }

    // Innermost: turns are taken after it is released.
    private let state: Lock<State>

    init(width: Int) { state = Lock(State(free: width)) }

    /// Runs a function at once or when its turn comes. Whoever is let in calls ``leave()`` once.
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
