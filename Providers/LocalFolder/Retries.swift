import LinuxSystem

/// A task that is retried with growing pauses until it succeeds.
final class Retries: Sendable {
    private struct State {
        var isRunning = false
        /// Whether another attempt was requested since the last attempt began.
        var isAsked = false
        var pause = firstPause
    }

    // Lock order: the lock of `Deadlines` is locked while this one is held.
    private let state = Lock(State())

    private static let firstPause = Duration.seconds(2)
    private static let longestPause = Duration.seconds(120)

    /// Starts the attempts, unless they are running.
    ///
    /// - Parameter attempt: returns whether the attempt has succeeded. Called on a thread that may block, never twice
    ///   at the same time.
    func start(_ attempt: @escaping @Sendable () -> Bool) {
        state.withLock { state in
            if state.isRunning {
                state.isAsked = true
                return
            }
            state = State(isRunning: true)
            arm(&state, attempt)
        }
    }

    private func arm(_ state: inout State, _ attempt: @escaping @Sendable () -> Bool) {
        Deadlines.shared.run(after: state.pause) { [weak self] in
            guard let retries = self else { return }
            HandlerThreads.shared.run { retries.run(attempt) }
        }
        state.pause = min(state.pause * 2, Self.longestPause)
    }

    private func run(_ attempt: @escaping @Sendable () -> Bool) {
        state.withLock { $0.isAsked = false }
        let isDone = attempt()
        state.withLock { state in
            if isDone, !state.isAsked { state.isRunning = false } else { arm(&state, attempt) }
        }
    }
}
