import LinuxSystem

/// Asynchronous work of sections, which run on the main thread and may block.
enum AsyncWork {
    /// Runs asynchronous work, and waits for it on the calling thread.
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
