import Synchronization

/// A receiver of the first of several results. Client code may complete more than once, and a timeout may complete
/// before it.
package final class FirstAnswer<Answer: Sendable>: Sendable {
    // Leaf lock: the receiver is called after it is released.
    private let receiver: Mutex<(@Sendable (Answer) -> Void)?>

    /// Creates an object that passes on the first result.
    ///
    /// - Parameter receiver: called at most once, on the thread that gives the first result, and released then.
    package init(_ receiver: @escaping @Sendable (Answer) -> Void) { self.receiver = Mutex(receiver) }

    package func give(_ answer: Answer) {
        let receiver = receiver.withLock { receiver in
            defer { receiver = nil }
            return receiver
        }
        receiver?(answer)
    }
}
