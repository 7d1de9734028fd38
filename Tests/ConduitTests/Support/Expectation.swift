import Synchronization

/// A value that arrives once, from any thread, and that a test waits for.
final class Expectation<Value: Sendable>: Sendable {
    private enum State {
        case empty
        case waiting(CheckedContinuation<Value, Never>)
        case full(Value)
    }

    private let state = Mutex(State.empty)
    private let arrivals = Atomic<Int>(0)

    /// How often a value has arrived: more than once is a fault of whoever fulfils it.
    var count: Int { arrivals.load(ordering: .sequentiallyConsistent) }

    func fulfill(_ value: Value) {
        arrivals.add(1, ordering: .sequentiallyConsistent)
        let waiting: CheckedContinuation<Value, Never>? = state.withLock { state in
            defer { state = .full(value) }
            if case .waiting(let continuation) = state { return continuation }
            return nil
        }
        waiting?.resume(returning: value)
    }

    /// The first value to arrive.
    func value() async -> Value {
        await withCheckedContinuation { continuation in
            let value: Value? = state.withLock { state in
                if case .full(let value) = state { return value }
                state = .waiting(continuation)
                return nil
            }
            if let value { continuation.resume(returning: value) }
        }
    }
}
