import Conduit
import Dispatch
import LinuxSystem

/// A question of the engine's while client code works on it, on a thread that it has to itself and may block.
///
/// It has one answer: the first. The client's code may give others, later, or none at all: at its time limit the question is
/// over, and whoever waits for a handler goes on.
final class Question: Sendable {
    private struct State {
        var over: ProviderFailure?
        var deadline: ContinuousClock.Instant
        var entry: Deadlines.Entry?
        /// Of a handler that is being waited for.
        var wake: DispatchSemaphore?
        /// What client code wants to know of.
        var farewell: (@Sendable () -> Void)?
        var isFinished = false
    }

    // Lock order: `Deadlines`' own lock is taken inside of this one. No client code runs inside of it.
    private let state: Lock<State>
    private let limit: Duration
    /// Called when it is over before client code has come to its end; not when that happens again.
    private let isOver: @Sendable (ProviderFailure) -> Void
    private let report: @Sendable (Int64, Int64) -> Void

    /// - Parameters:
    ///   - limit: how long client code may take.
    ///   - report: how far it is, to the engine.
    ///   - isOver: called at most once, when the time is over or the engine has given up.
    init(
        limit: Duration, report: @escaping @Sendable (Int64, Int64) -> Void,
        isOver: @escaping @Sendable (ProviderFailure) -> Void
    ) {
        self.limit = limit
        self.report = report
        self.isOver = isOver
        state = Lock(State(deadline: .now + limit))
        arm(after: limit)
    }

    /// Client code is further than before: the time begins anew.
    func advance(completed: Int64, total: Int64) {
        state.withLock { $0.deadline = .now + limit }
        report(completed, total)
    }

    /// The engine has given up.
    func cancel() { end(ProviderFailure(.cancelled, message: "the request was cancelled")) }

    /// Client code has come to its end.
    func finish() {
        let (entry, farewell) = state.withLock { state in
            state.isFinished = true
            return (state.entry.take(), state.farewell.take())
        }
        if let entry { Deadlines.shared.cancel(entry) }
        // What it holds on to goes after the lock is released.
        _ = farewell
    }

    /// Has something called, on a thread of its own, when it is over before client code has come to its end: whatever that waits for
    /// can be told. Called at most once; at once where it is over already.
    func whenOver(_ farewell: @escaping @Sendable () -> Void) {
        let isOver = state.withLock { state in
            if state.over == nil { state.farewell = farewell }
            return state.over != nil
        }
        if isOver { HandlerThreads.shared.runHandler(farewell) }
    }

    /// Why it is over, if it is.
    var over: ProviderFailure? { state.withLock { $0.over } }

    /// Calls something of the client's that answers through a handler, and blocks until that is called for the first time.
    ///
    /// - Throws: why the question is over, when that comes before.
    func wait<Answer: Sendable>(
        _ start: (@escaping @Sendable (Answer) -> Void) -> Void
    ) throws(ProviderFailure) -> Answer {
        let answer = FirstValue<Answer>()
        let wake = DispatchSemaphore(value: 0)
        let over = state.withLock { state in
            state.wake = wake
            return state.over
        }
        if let over { throw over }
        start { value in
            answer.set(value)
            wake.signal()
        }
        wake.wait()
        return try state.withLock { state throws(ProviderFailure) in
            state.wake = nil
            if let value = answer.value { return value }
            throw state.over ?? ProviderFailure(.cancelled, message: "the request was cancelled")
        }
    }

    private func arm(after pause: Duration) {
        state.withLock { state in
            guard state.over == nil, !state.isFinished else { return }
            state.entry = Deadlines.shared.run(after: pause) { [weak self] in self?.look() }
        }
    }

    private func look() {
        let left = state.withLock { $0.deadline - .now }
        if left > .zero { return arm(after: left) }
        let seconds = limit / .seconds(1)
        end(ProviderFailure(.transient, message: "the provider did not answer within \(seconds) s"))
    }

    private func end(_ failure: ProviderFailure) {
        let (isFirst, wake, farewell) = state.withLock { state -> (Bool, DispatchSemaphore?, (@Sendable () -> Void)?) in
            guard state.over == nil, !state.isFinished else { return (false, nil, nil) }
            state.over = failure
            return (true, state.wake, state.farewell.take())
        }
        guard isFirst else { return }
        isOver(failure)
        wake?.signal()
        if let farewell { HandlerThreads.shared.runHandler(farewell) }
    }
}

/// Keeps the first of several values.
private final class FirstValue<Value: Sendable>: Sendable {
    // Innermost.
    private let first = Lock<Value?>(nil)
    var value: Value? { first.withLock { $0 } }
    func set(_ value: Value) { first.withLock { $0 = $0 ?? value } }
}
