import LinuxSystem

/// A cancellation that may be requested before it is known how to cancel.
package final class PendingCancellation: Sendable {
    private struct State {
        var cancel: (@Sendable () -> Void)?
        var isCancelled = false
    }

    // Leaf lock: the cancelling function is called after it is released.
    private let state = Lock(State())

    package init() {}

    /// Sets the function that cancels, which is called at once if cancellation was requested before.
    package func hold(_ cancel: @escaping @Sendable () -> Void) {
        let isCancelled = state.withLock { state in
            state.cancel = cancel
            return state.isCancelled
        }
        if isCancelled { cancel() }
    }

    /// Cancels, now or as soon as it is known how.
    package func cancel() {
        let cancel = state.withLock { state in
            state.isCancelled = true
            return state.cancel
        }
        cancel?()
    }
}
