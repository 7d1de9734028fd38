extension HandlerThreads {
    /// Runs what may block on a thread of its own, for a task that waits for it: the tasks' threads are few, and belong to all.
    ///
    /// A cancelled task still waits for the end.
    package func value<Value: Sendable, Failure>(
        of body: @escaping @Sendable () throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        let result: Result<Value, Failure> = await withCheckedContinuation { continuation in
            run { continuation.resume(returning: Result(catching: body)) }
        }
        return try result.get()
    }
}
