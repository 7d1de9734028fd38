/// A semaphore that blocks no thread. Functions and tasks wait for their permit in first-in, first-out order.
///
/// Use it only for work that ends in bounded time. Work that never ends never returns its permit.
package final class AsyncSemaphore: Sendable {
    /// A place in the queue.
    private enum Waiter {
        /// A task has the place but is not suspended yet.
        case arriving
        /// The place's task got a permit, or was cancelled, before it was suspended.
        case granted, cancelled
        /// The place waits. The function is called with `true` if the place gets a permit, with `false` if it is
        /// cancelled.
        case waiting(@Sendable (Bool) -> Void)
    }

    private struct State {
        var free: Int
        /// The numbers of the first place without a permit and of the last place. Places in between may have been
        /// cancelled.
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

        /// Passes a permit to the first place that is still waiting.
        ///
        /// - Returns: The function to call after the lock is released.
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

    /// Calls a function when a permit is available, on this thread or on the thread that returns the permit.
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

    /// Runs a function once a permit is available, and returns the permit when it has ended.
    ///
    /// - Returns: `nil` if the task was cancelled while it waited.
    package func withPermit<Value: Sendable, Failure>(
        _ body: @Sendable () async throws(Failure) -> Value
    ) async throws(Failure) -> Value? {
        guard await wait() else { return nil }
        defer { signal() }
        return try await body()
    }

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
