extension HandlerThreads {
    /// Runs a blocking function on a thread of its own and suspends the task. The threads of the concurrency runtime
    /// are few and shared, so they must not block.
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
