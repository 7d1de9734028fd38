import Synchronization

/// A completion handler that is called once, with the first of several results. Client code may complete more than
/// once, and a timeout or a cancellation may come first.
package final class OneShotCompletion<Value: Sendable>: Sendable {
    // Leaf lock: the handler is called after it is released.
    private let handler: Mutex<(@Sendable (Value) -> Void)?>

    /// - Parameter handler: Called at most once, on the thread that completes first. It is released afterwards.
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

/// A replaceable callback for a recurring event. Any thread may set it at any time.
package final class Receiver<Event>: Sendable {
    /// A wrapper of the function. If a function is stored in a lock without a wrapper, Swift 6.3 adds a closure around
    /// it at each read, until a call or release overflows the stack. A function inside a structure is not changed.
    private struct Kept: Sendable {
        let function: @Sendable (Event) -> Void
    }

    // Leaf lock: the function is called after it is released.
    private let kept = Lock<Kept?>(nil)

    package init() {}

    /// The callback, or `nil` for none.
    package var function: (@Sendable (Event) -> Void)? {
        get { kept.withLock { $0 }?.function }
        set {
            let next = newValue.map(Kept.init)
            kept.withLock { $0 = next }
        }
    }

    package var isSet: Bool { kept.withLock { $0 != nil } }

    /// Calls the function on the calling thread, if it is set.
    package func tell(_ event: Event) { kept.withLock { $0 }?.function(event) }
}
