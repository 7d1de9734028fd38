import Synchronization

/// A value that arrives once, from any thread, and that a test awaits.
final class Expectation<Value: Sendable>: Sendable {
    private enum State {
        case empty
        case waiting(CheckedContinuation<Value, any Error>)
        case full(Result<Value, CancellationError>)
    }

    private let state = Mutex(State.empty)
    private let arrivals = Atomic<Int>(0)

    /// The number of values that arrived. More than one is a fault of the code that fulfills it.
    var count: Int { arrivals.load(ordering: .sequentiallyConsistent) }

    func fulfill(_ value: Value) {
        arrivals.add(1, ordering: .sequentiallyConsistent)
        settle(.success(value))
    }

    private func settle(_ result: Result<Value, CancellationError>) {
        let waiting: CheckedContinuation<Value, any Error>? = state.withLock { state in
            if case .full = state { return nil }
            defer { state = .full(result) }
            if case .waiting(let continuation) = state { return continuation }
            return nil
        }
        waiting?.resume(with: result.mapError { $0 as any Error })
    }

    /// Returns the first value that arrives. Throws if the test's time limit passes before.
    func value() async throws -> Value {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let result: Result<Value, CancellationError>? = state.withLock { state in
                    if case .full(let result) = state { return result }
                    state = .waiting(continuation)
                    return nil
                }
                if let result { continuation.resume(with: result.mapError { $0 as any Error }) }
            }
        } onCancel: {
            settle(.failure(CancellationError()))
        }
    }
}
