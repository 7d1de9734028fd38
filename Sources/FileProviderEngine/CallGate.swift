import LinuxSystem

/// A semaphore that limits how many tasks run at a time. The others wait in first-in, first-out order.
final class CallGate: Sendable {
    private struct State {
        var free: Int
        var next: UInt64 = 0
        /// The waiting tasks. A continuation is resumed with whether its task may run.
        var waiting: [(number: UInt64, continuation: CheckedContinuation<Bool, Never>)] = []
        /// The tasks that were cancelled before they began to wait.
        var cancelled: Set<UInt64> = []
    }
    // Leaf lock: tasks are resumed after it is released.
    private let state: Lock<State>

    init(width: Int) { state = Lock(State(free: width)) }

    /// Runs a function as soon as a slot is free.
    ///
    /// - Returns: `nil` if the task was cancelled while it waited.
    func run<Value: Sendable, Failure>(
        _ body: @Sendable () async throws(Failure) -> Value
    ) async throws(Failure) -> Value? {
        guard await enter() else { return nil }
        defer { leave() }
        return try await body()
    }

    private func enter() async -> Bool {
        let number = state.withLock { state -> UInt64? in
            if state.free > 0, state.waiting.isEmpty {
                state.free -= 1
                return nil
            }
            state.next += 1
            return state.next
        }
        guard let number else { return true }
        // Forgets a cancellation that came after the task got its slot.
        defer { state.withLock { _ = $0.cancelled.remove(number) } }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let answer = state.withLock { state -> Bool? in
                    if state.cancelled.remove(number) != nil { return false }
                    if state.free > 0 {
                        state.free -= 1
                        return true
                    }
                    state.waiting.append((number, continuation))
                    return nil
                }
                if let answer { continuation.resume(returning: answer) }
            }
        } onCancel: {
            let waiting = state.withLock { state -> CheckedContinuation<Bool, Never>? in
                guard let index = state.waiting.firstIndex(where: { $0.number == number }) else {
                    state.cancelled.insert(number)
                    return nil
                }
                return state.waiting.remove(at: index).continuation
            }
            waiting?.resume(returning: false)
        }
    }

    private func leave() {
        let next = state.withLock { state -> CheckedContinuation<Bool, Never>? in
            if state.waiting.isEmpty {
                state.free += 1
                return nil
            }
            return state.waiting.removeFirst().continuation
        }
        next?.resume(returning: true)
    }
}
