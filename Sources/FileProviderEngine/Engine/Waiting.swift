import LinuxSystem

/// A handle that cancels a pending operation of the engine.
package final class Waiting: Sendable {
    // Leaf lock: the closure is called after it is released.
    private let giveUp: Lock<(@Sendable () -> Void)?>

    /// Creates a handle.
    ///
    /// - Parameter giveUp: Called at most once, on the thread that cancels.
    package init(_ giveUp: (@Sendable () -> Void)?) { self.giveUp = Lock(giveUp) }

    /// The handle of an operation that is complete already.
    package static var over: Waiting { Waiting(nil) }

    /// Cancels the operation: its completion handler is called with a failure of kind
    /// ``ProviderFailure/Kind/cancelled``, unless it was called before. The awaited work itself may continue.
    package func cancel() {
        let giveUp = giveUp.withLock { giveUp in
            defer { giveUp = nil }
            return giveUp
        }
        giveUp?()
    }
}
