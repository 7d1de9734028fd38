import LinuxSystem

/// The way to cancel something that may be asked for before it is known.
package final class PendingCancellation: Sendable {
    private struct State {
        var cancel: (@Sendable () -> Void)?
        var isCancelled = false
    }

    // Innermost: what is cancelled is cancelled after it is released.
    private let state = Lock(State())

    package init() {}

    /// Says how to cancel, which is done at once if it was asked for before.
    package func hold(_ cancel: @escaping @Sendable () -> Void) {
        let isCancelled = state.withLock { state in
            state.cancel = cancel
            return state.isCancelled
        }
        if isCancelled { cancel() }
    }

    /// Cancels it, now or as soon as it is known how.
    package func cancel() {
        let cancel = state.withLock { state in
            state.isCancelled = true
            return state.cancel
        }
        cancel?()
    }
}
