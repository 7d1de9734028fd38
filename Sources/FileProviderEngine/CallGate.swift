import LinuxSystem

/// Lets only so many tasks go on at a time; the others wait in the order of their coming.
final class CallGate: Sendable {
    private struct State {
        var free: Int
        var next: UInt64 = 0
        /// The continuation gets whether the task may go on.
        var waiting: [(number: UInt64, continuation: CheckedContinuation<Bool, Never>)] = []
        /// Cancelled before they came to wait.
        var cancelled: Set<UInt64> = []
    }
    // Innermost: tasks go on after it is released.
    private let state: Lock<State>

    init(width: Int) { state = Lock(State(free: width)) }

    /// Runs a function when its turn has come.
    ///
    /// - Returns: `nil` when the task was cancelled while it waited.
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
        // Cancelled when it had its turn already.
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
