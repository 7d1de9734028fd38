import Synchronization

/// A continuation that may be resumed more than once: handlers of programs are called twice now and then, and only the first
/// counts.
final class OnceContinuation<Answer: Sendable>: Sendable {
    // Innermost: the continuation is resumed after it is released.
    private let continuation: Mutex<CheckedContinuation<Answer, any Error>?>

    init(_ continuation: CheckedContinuation<Answer, any Error>) { self.continuation = Mutex(continuation) }

    func resume(_ result: Result<Answer, any Error>) {
        let taken = continuation.withLock { continuation in
            defer { continuation = nil }
            return continuation
        }
        taken?.resume(with: result)
    }
}
