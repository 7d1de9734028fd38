import Synchronization

/// The way to cancel something that may be asked for before it is known.
final class PendingCancellation: Sendable {
    private struct State {
        var cancel: (@Sendable () -> Void)?
        var isCancelled = false
    }

    // Innermost: what is cancelled is cancelled after it is released.
    private let state = Mutex(State())

    /// Says how to cancel, which is done at once if it was asked for before.
    func hold(_ cancel: @escaping @Sendable () -> Void) {
        let isCancelled = state.withLock { state in
            state.cancel = cancel
            return state.isCancelled
        }
        if isCancelled { cancel() }
    }

    func cancel() {
        let cancel = state.withLock { state in
            state.isCancelled = true
            return state.cancel
        }
        cancel?()
    }
}
