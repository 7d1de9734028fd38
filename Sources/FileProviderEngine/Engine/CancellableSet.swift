import LinuxSystem

/// The pending operations of one request, which begin one after another, possibly after the request was cancelled.
/// They are cancelled together.
package final class CancellableSet: Sendable {
    // Leaf lock: operations are cancelled after it is released.
    private let state = Lock<(waits: [Cancellable], isCancelled: Bool)>(([], false))

    package init() {}

    package func add(_ waiting: Cancellable) {
        let isCancelled = state.withLock { state in
            state.waits.append(waiting)
            return state.isCancelled
        }
        if isCancelled { waiting.cancel() }
    }

    package func cancel() {
        let waits = state.withLock { state in
            state.isCancelled = true
            return state.waits
        }
        for waiting in waits { waiting.cancel() }
    }
}
