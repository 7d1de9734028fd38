import LinuxSystem
import Synchronization

extension Connection {
    /// Makes a call. Never blocks.
    ///
    /// - Parameters:
    ///   - progress: called when the other side reports progress. It is not called any more once the completion handler
    ///     has begun to run on the thread that serves connections. A report may be skipped if a newer one exists.
    ///   - completion: called exactly once, with the reply, the other side's error, or the reason why there is no
    ///     reply. It is called on the thread that serves connections. If this function runs on another thread, this may
    ///     happen before the function returns. If `cancel()` ends the call, it is called on the thread that calls
    ///     `cancel()`.
    @discardableResult
    package func call<C: Call>(
        _ request: C, progress: (@Sendable (_ completed: Int64, _ total: Int64) -> Void)? = nil,
        completion: @escaping @Sendable (Result<C.Reply, ConduitError>) -> Void
    ) -> PendingCall {
        let call = nextCall.wrappingAdd(1, ordering: .relaxed).oldValue
        let receiver = Calls.Receiver(
            succeed: { decoder in
                do throws(MessageError) {
                    completion(.success(try decoder.readMap()))
                } catch {
                    completion(.failure(.malformed(error)))
                }
            },
            fail: { completion(.failure($0)) },
            progress: progress)
        if let refusal = register(receiver, call: call) {
            loop.perform { completion(.failure(refusal)) }
        } else {
            do throws(ConduitError) {
                try send(.request, call: call, method: C.method, body: request)
            } catch {
                if let receiver = takeReceiver(of: call) { loop.perform { receiver.fail(error) } }
            }
        }
        return PendingCall(connection: self, call: call)
    }

    /// Makes a call and suspends until the reply arrives. If the task is cancelled, the call is cancelled.
    package func call<C: Call>(
        _ request: C, progress: (@Sendable (_ completed: Int64, _ total: Int64) -> Void)? = nil
    ) async throws(ConduitError) -> C.Reply {
        let pending = Lock<PendingCall?>(nil)
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let made = call(request, progress: progress) { continuation.resume(returning: $0) }
                pending.withLock { $0 = made }
                // The task may have been cancelled before `pending` was set.
                if Task.isCancelled { made.cancel() }
            }
        } onCancel: {
            pending.withLock { $0 }?.cancel()
        }
        return try result.get()
    }

    /// Makes a call and blocks the calling thread until the reply arrives. Must not be called on the thread that serves
    /// connections, because that thread receives the reply.
    ///
    /// - Parameter timeLimit: the duration after which the call is cancelled; `nil` if it is never cancelled.
    package func callAndWait<C: Call>(
        _ request: C, timeLimit: Duration? = nil
    ) throws(ConduitError) -> C.Reply {
        let answered = Latch()
        let answer = ReplyBox<C.Reply>()
        let pending = call(request) { result in
            answer.result.withLock { $0 = result }
            answered.open()
        }
        let deadline = timeLimit.map { Deadlines.shared.run(after: $0) { pending.cancel() } }
        answered.wait()
        if let deadline { Deadlines.shared.cancel(deadline) }
        // The completion handler sets the result before the latch opens.
        return try (answer.result.withLock { $0 } ?? .failure(.cancelled)).get()
    }

    private final class ReplyBox<Reply: Sendable>: Sendable {
        // Leaf lock.
        let result = Lock<Result<Reply, ConduitError>?>(nil)
    }

    /// Sends a notice. Throws an error if the notice cannot be sent. If no error is thrown, the other side may still
    /// fail to decode or handle the notice.
    package func notify<N: Notice>(_ notice: N) throws(ConduitError) {
        if let reason = closeReason { throw .disconnected(reason) }
        try send(.notice, call: 0, method: N.method, body: notice)
    }

    func cancel(_ call: UInt64) {
        guard let receiver = takeReceiver(of: call) else { return }
        sendCancel(call: call)
        receiver.fail(.cancelled)
    }

    /// Removes and returns the receiver of the given call; `nil` if it was already removed. Only the code that gets the
    /// receiver completes the call.
    func takeReceiver(of call: UInt64) -> Calls.Receiver? {
        calls.withLock { $0.pending.removeValue(forKey: call) }
    }

    private func register(_ receiver: Calls.Receiver, call: UInt64) -> ConduitError? {
        calls.withLock { calls in
            if let reason = calls.closeReason { return .disconnected(reason) }
            guard calls.pending.count < limits.callsInFlight else {
                return .tooManyCalls(limit: limits.callsInFlight)
            }
            calls.pending[call] = receiver
            return nil
        }
    }
}
