import Synchronization

/// Passes on the first of several answers: client code may answer more than once, and others may give up waiting for it.
package final class FirstAnswer<Answer: Sendable>: Sendable {
    // Innermost: called after it is released.
    private let receiver: Mutex<(@Sendable (Answer) -> Void)?>

    /// - Parameter receiver: called at most once, on the thread that answers first, and let go of then.
    package init(_ receiver: @escaping @Sendable (Answer) -> Void) { self.receiver = Mutex(receiver) }

    package func give(_ answer: Answer) {
        let receiver = receiver.withLock { receiver in
            defer { receiver = nil }
            return receiver
        }
        receiver?(answer)
    }
}
