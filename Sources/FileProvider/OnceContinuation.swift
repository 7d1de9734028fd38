import Synchronization

/// A continuation that may be resumed more than once, because programs sometimes call a completion handler twice. Only
/// the first result is used.
final class OnceContinuation<Answer: Sendable>: Sendable {
    // Leaf lock: the continuation is resumed after it is released.
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
