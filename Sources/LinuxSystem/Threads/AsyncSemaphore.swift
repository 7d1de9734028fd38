/// A semaphore that never blocks a thread. Functions and tasks get permits in the order in which they requested them.
///
/// Use the semaphore only for work that ends in bounded time, because work that never ends never returns its permit.
package final class AsyncSemaphore: Sendable {
    /// A function or task in the queue for permits.
    private enum Waiter {
        /// A task that is in the queue but is not suspended yet.
        case arriving
        /// A task that got a permit, or was cancelled, before it was suspended.
        case granted, cancelled
        /// A function, or a suspended task, that waits for a permit. The closure is called with `true` when the waiter
        /// gets a permit, and with `false` when it is cancelled.
        case waiting(@Sendable (Bool) -> Void)
    }

    private struct State {
        var free: Int
        /// The number of the first waiter that has not got a permit. `last` is the number of the last waiter. Waiters
        /// in between may have been cancelled.
        var first: UInt64 = 1
        var last: UInt64 = 0
        var waiters: [UInt64: Waiter] = [:]

        mutating func takeFree() -> Bool {
            guard free > 0 else { return false }
            free -= 1
            return true
        }

        mutating func append(_ waiter: Waiter) -> UInt64 {
            last += 1
            waiters[last] = waiter
            return last
        }

        /// Passes a permit to the first waiter that was not cancelled.
        ///
        /// - Returns: The closure to call with `true` after the lock was released; `nil` if there is none to call.
        mutating func grant() -> (@Sendable (Bool) -> Void)? {
            while first <= last {
                defer { first += 1 }
                switch waiters[first] {
                case .waiting(let resume):
                    waiters[first] = nil
                    return resume
                case .arriving:
                    waiters[first] = .granted
                    return nil
                case .granted, .cancelled, nil: continue
                }
            }
            free += 1
            return nil
        }
    }

    // Leaf lock: functions are called and tasks are resumed after it is released.
    private let state: Lock<State>

    package init(permits: Int) { state = Lock(State(free: permits)) }

    /// Calls a function when a permit is available. The function runs on this thread, or later on the thread that
    /// returns a permit.
    ///
    /// The function, or the work that it starts, must call ``signal()`` once.
    package func wait(_ body: @escaping @Sendable () -> Void) {
        let isFree = state.withLock { state in
            if state.takeFree() { return true }
            _ = state.append(.waiting { _ in body() })
            return false
        }
        if isFree { body() }
    }

    /// Returns a permit.
    package func signal() {
        let resume = state.withLock { $0.grant() }
        resume?(true)
    }

    /// Waits for a permit, runs a function, and returns the permit after the function has ended.
    ///
    /// - Returns: `nil` if the task was cancelled while it waited.
    package func withPermit<Value: Sendable, Failure>(
        _ body: @Sendable () async throws(Failure) -> Value
    ) async throws(Failure) -> Value? {
        guard await wait() else { return nil }
        defer { signal() }
        return try await body()
    }

    /// Waits for a permit.
    ///
    /// - Returns: Whether the task got a permit; `false` if it was cancelled while it waited.
    private func wait() async -> Bool {
        let number = state.withLock { $0.takeFree() ? nil : $0.append(.arriving) }
        guard let number else { return true }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isGranted = state.withLock { state -> Bool? in
                    if case .arriving = state.waiters[number] {
                        state.waiters[number] = .waiting { continuation.resume(returning: $0) }
                        return nil
                    }
                    if case .granted = state.waiters.removeValue(forKey: number) { return true }
                    return false
                }
                if let isGranted { continuation.resume(returning: isGranted) }
            }
        } onCancel: {
            let resume = state.withLock { state -> (@Sendable (Bool) -> Void)? in
                switch state.waiters[number] {
                case .arriving:
                    state.waiters[number] = .cancelled
                    return nil
                case .waiting(let resume):
                    state.waiters[number] = nil
                    return resume
                case .granted, .cancelled, nil: return nil
                }
            }
            resume?(false)
        }
    }
}
