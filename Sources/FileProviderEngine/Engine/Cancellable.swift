import LinuxSystem

/// A handle that cancels a pending operation of the engine.
package final class Cancellable: Sendable {
    // Leaf lock: the closure is called after it is released.
    private let onCancel: Lock<(@Sendable () -> Void)?>

    /// Creates a handle.
    ///
    /// - Parameter onCancel: Called at most once, on the thread that cancels.
    package init(_ onCancel: (@Sendable () -> Void)?) { self.onCancel = Lock(onCancel) }

    /// The handle of an operation that is complete already.
    package static var over: Cancellable { Cancellable(nil) }

    /// Cancels the operation: its completion handler is called with a failure of kind ``ProviderError/Kind/cancelled``,
    /// unless it was called before. The operation itself may continue.
    package func cancel() {
        let onCancel = onCancel.withLock { onCancel in
            defer { onCancel = nil }
            return onCancel
        }
        onCancel?()
    }
}
