import FileProviderWire
import LinuxSystem

/// A handle that cancels a pending operation of the engine.
package final class Cancellable: Sendable {
    // Leaf lock: the closure is called after it is released.
    private let onCancel: Lock<(@Sendable () -> Void)?>

    /// Creates a handle.
    ///
    /// - Parameter onCancel: Called at most once, on the thread that cancels.
    package init(_ onCancel: (@Sendable () -> Void)?) { self.onCancel = Lock(onCancel) }

    /// A handle of an operation that is already complete. Cancelling it does nothing.
    package static var over: Cancellable { Cancellable(nil) }

    /// Cancels the operation. Its completion handler is called with a failure of kind ``ProviderError/Kind/cancelled``,
    /// unless it was called before. The work of the operation may continue.
    package func cancel() {
        let onCancel = onCancel.withLock { onCancel in
            defer { onCancel = nil }
            return onCancel
        }
        onCancel?()
    }
}

/// The pending operations of one request, which are cancelled together. An operation that is added after the
/// cancellation is cancelled at once.
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

/// A completion handler of a request to the engine, which is called once.
typealias EngineCompletion<Success: Sendable> = OneShotCompletion<Result<Success, ProviderError>>

extension OneShotCompletion {
    /// Calls the completion handler with a failure of kind ``ProviderError/Kind/cancelled``, because the caller no
    /// longer waits.
    func cancel<Success>() where Value == Result<Success, ProviderError> {
        complete(.failure(ProviderError(.cancelled, message: "The wait was given up.")))
    }
}
