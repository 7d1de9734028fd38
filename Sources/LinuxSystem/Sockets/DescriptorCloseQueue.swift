/// A queue that closes the descriptors that one peer has sent, in order, on a thread of ``DescriptorCloser``.
///
/// If closing a descriptor blocks, only further descriptors of the same peer are delayed. Any thread may use a queue,
/// and no function of a queue blocks.
package final class DescriptorCloseQueue: Sendable {
    private struct State {
        /// The numbers of the descriptors to close. Those before the index `start` are already closed.
        var numbers: [CInt] = []
        var start = 0
        /// Whether a thread is closing descriptors of this queue, or is scheduled to do so.
        var isServed = false
        /// The number of descriptors that a thread is closing now: 0 or 1.
        var closing = 0
        var waiter: (limit: Int, body: @Sendable () -> Void)?

        var count: Int { numbers.count - start + closing }

        mutating func next() -> CInt? {
            guard start < numbers.count else {
                (numbers, start, isServed) = ([], 0, false)
                return nil
            }
            let number = numbers[start]
            start += 1
            // Frees the space of closed descriptors even if the queue never becomes empty.
            if start >= 1024, start > numbers.count / 2 {
                numbers.removeFirst(start)
                start = 0
            }
            return number
        }

        /// Removes and returns the waiter's function if the number of remaining descriptors is within the waiter's
        /// limit; otherwise returns `nil`.
        mutating func dueWaiter() -> (@Sendable () -> Void)? {
            guard let waiter, count <= waiter.limit else { return nil }
            self.waiter = nil
            return waiter.body
        }
    }

    // Leaf lock: descriptors are closed and waiters called after it is released.
    private let state = Lock(State())
    private let closer: DescriptorCloser

    package init(_ closer: DescriptorCloser = .shared) { self.closer = closer }

    /// The number of descriptors that are not closed yet.
    package var count: Int { state.withLock { $0.count } }

    /// Adds a descriptor to the queue, to be closed. The queue owns the descriptor from now on.
    package func close(_ number: CInt) {
        let isIdle = state.withLock { state in
            state.numbers.append(number)
            defer { state.isServed = true }
            return !state.isServed
        }
        if isIdle { closer.serve(self) }
    }

    /// Calls a function when at most `limit` descriptors remain to be closed. Calls the function at once on this
    /// thread, or later on the thread that closes the descriptors. Only one function waits at a time: a new function
    /// replaces the waiting one, which then never runs.
    package func whenAtMost(_ limit: Int, _ body: @escaping @Sendable () -> Void) {
        let (due, replaced) = state.withLock { state in
            let replaced = state.waiter?.body
            state.waiter = (limit, body)
            return (state.dueWaiter(), replaced)
        }
        due?()
        withExtendedLifetime(replaced) {}
    }

    /// Closes at most `turn` descriptors. Runs on a thread of the closer.
    ///
    /// - Returns: whether descriptors may be left in the queue.
    func closeSome(atMost turn: Int, with close: (CInt) -> Void) -> Bool {
        for _ in 0..<turn {
            let number = state.withLock { state in
                let number = state.next()
                state.closing = number == nil ? 0 : 1
                return number
            }
            guard let number else { return false }
            close(number)
            let waiter = state.withLock { state in
                state.closing = 0
                return state.dueWaiter()
            }
            waiter?()
        }
        return true
    }
}
