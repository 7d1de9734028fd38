import Synchronization

/// A completion handler that is called once, with the first of several results: client code may complete more than
/// once, and a timeout or a cancellation may come first.
package final class OneShotCompletion<Value: Sendable>: Sendable {
    // Leaf lock: the handler is called after it is released.
    private let handler: Mutex<(@Sendable (Value) -> Void)?>

    /// - Parameter handler: Called at most once, on the thread that completes first, and released then.
    package init(_ handler: @escaping @Sendable (Value) -> Void) { self.handler = Mutex(handler) }

    /// Calls the handler, unless it was called before.
    package func complete(_ value: Value) {
        let handler = handler.withLock { handler in
            defer { handler = nil }
            return handler
        }
        handler?(value)
    }
}
