import Synchronization

/// A completion handler that is called only once, with the first of several results. Client code may report a result
/// more than once, or after a timeout or a cancellation.
package final class OneShotCompletion<Value: Sendable>: Sendable {
    // Leaf lock: the handler is called after it is released.
    private let handler: Mutex<(@Sendable (Value) -> Void)?>

    /// Creates the completion.
    ///
    /// - Parameter handler: Called at most once, on the thread that first calls ``complete(_:)``. It is released
    ///   afterwards.
    package init(_ handler: @escaping @Sendable (Value) -> Void) { self.handler = Mutex(handler) }

    /// Calls the handler with the given value, unless the handler was already called.
    package func complete(_ value: Value) {
        let handler = handler.withLock { handler in
            defer { handler = nil }
            return handler
        }
        handler?(value)
    }
}

/// A callback for a recurring event. The callback can be replaced: any thread may set it at any time.
package final class Receiver<Event>: Sendable {
    /// A structure that contains the callback. If a function is stored directly in a lock, Swift 6.3 wraps it in
    /// another closure each time it is read, until a call or the release overflows the stack. A function within a
    /// structure is not wrapped.
    private struct Kept: Sendable {
        let function: @Sendable (Event) -> Void
    }

    // Leaf lock: the function is called after it is released.
    private let kept = Lock<Kept?>(nil)

    package init() {}

    /// The callback; `nil` if none is set.
    package var function: (@Sendable (Event) -> Void)? {
        get { kept.withLock { $0 }?.function }
        set {
            let next = newValue.map(Kept.init)
            kept.withLock { $0 = next }
        }
    }

    package var isSet: Bool { kept.withLock { $0 != nil } }

    /// Calls the callback with the given event on the calling thread, if a callback is set.
    package func tell(_ event: Event) { kept.withLock { $0 }?.function(event) }
}
