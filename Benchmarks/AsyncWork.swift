import LinuxSystem

/// Runs asynchronous functions for sections. Sections run on the main thread and may block it.
enum AsyncWork {
    /// Runs an asynchronous function, and blocks the calling thread until the function has returned.
    @discardableResult
    static func wait<Value: Sendable>(_ work: @escaping @Sendable () async throws -> Value) throws -> Value {
        let done = Latch()
        let result = Lock<Result<Value, any Error>?>(nil)
        Task.detached {
            let end: Result<Value, any Error>
            do { end = .success(try await work()) } catch { end = .failure(error) }
            result.withLock { $0 = end }
            done.open()
        }
        done.wait()
        guard let end = result.withLock({ $0 }) else { throw MeasurementError("the work has no result") }
        return try end.get()
    }
}
