import Conduit
import Dispatch
import FileProviderWire
import Foundation
import ItemValues
import LinuxSystem

/// A request of the engine that a provider's process is serving. The provider code that serves the request runs on a
/// separate thread, which may block.
///
/// Provider code may call a completion handler several times or never. Only the first result is used. When the time
/// limit passes, the request is over, and the thread that waits for the completion handler continues.
final class EngineRequest: Sendable {
    private struct State {
        var over: ProviderError?
        var deadline: ContinuousClock.Instant
        var entry: Deadlines.Entry?
        /// The semaphore of a thread that waits for a completion handler.
        var wake: DispatchSemaphore?
        /// The closure that notifies provider code of the end of the request.
        var endHandler: (@Sendable () -> Void)?
        var isFinished = false
    }

    // Lock order: `Deadlines`' own lock is taken under this one. No provider code runs under it.
    private let state: Lock<State>
    private let limit: Duration
    /// A closure that is called once, if the request is over before the provider's code returns.
    private let isOver: @Sendable (ProviderError) -> Void
    private let report: @Sendable (Int64, Int64) -> Void

    /// Creates a request and starts its time limit.
    ///
    /// - Parameters:
    ///   - limit: the maximum time without progress.
    ///   - report: sends progress to the engine, as completed and total units.
    ///   - isOver: called at most once, when the time limit passes or the engine cancels the request.
    init(
        limit: Duration, report: @escaping @Sendable (Int64, Int64) -> Void,
        isOver: @escaping @Sendable (ProviderError) -> Void
    ) {
        self.limit = limit
        self.report = report
        self.isOver = isOver
        state = Lock(State(deadline: .now + limit))
        arm(after: limit)
    }

    /// Reports progress of the provider's code, and restarts the time limit.
    func advance(completed: Int64, total: Int64) {
        state.withLock { $0.deadline = .now + limit }
        report(completed, total)
    }

    /// Ends the request because the engine cancelled it.
    func cancel() { end(ProviderError(.cancelled, message: "the request was cancelled")) }

    /// Ends the request after the provider's code has returned.
    func finish() {
        let (entry, endHandler) = state.withLock { state in
            state.isFinished = true
            return (state.entry.take(), state.endHandler.take())
        }
        if let entry { Deadlines.shared.cancel(entry) }
        // The closure is retained until here, outside of the lock, because the deallocation of its captures may run
        // other code.
        _ = endHandler
    }

    /// Sets a closure that is called at most once, on a separate thread, if the request is over before the provider's
    /// code returns. If the request is over already, the closure is called at once.
    func onEnd(_ endHandler: @escaping @Sendable () -> Void) {
        let isOver = state.withLock { state in
            if state.over == nil { state.endHandler = endHandler }
            return state.over != nil
        }
        if isOver { HandlerThreads.shared.runHandler(endHandler) }
    }

    /// The reason why the request is over; `nil` while the request is running.
    var over: ProviderError? { state.withLock { $0.over } }

    /// Calls an asynchronous function of the provider, and blocks until the function calls its completion handler for
    /// the first time.
    ///
    /// - Throws: the reason why the request is over, if the request ends earlier.
    func wait<Answer: Sendable>(
        _ start: (@escaping @Sendable (Answer) -> Void) -> Void
    ) throws(ProviderError) -> Answer {
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
        return try state.withLock { state throws(ProviderError) in
            state.wake = nil
            if let value = answer.value { return value }
            throw state.over ?? ProviderError(.cancelled, message: "the request was cancelled")
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
        end(ProviderError(.transient, message: "the provider did not answer within \(seconds) s"))
    }

    private func end(_ failure: ProviderError) {
        let (isFirst, wake, endHandler) = state.withLock {
            state -> (Bool, DispatchSemaphore?, (@Sendable () -> Void)?) in
            guard state.over == nil, !state.isFinished else { return (false, nil, nil) }
            state.over = failure
            return (true, state.wake, state.endHandler.take())
        }
        guard isFirst else { return }
        isOver(failure)
        wake?.signal()
        if let endHandler { HandlerThreads.shared.runHandler(endHandler) }
    }
}

/// A value that can be set once. Later values are ignored.
private final class FirstValue<Value: Sendable>: Sendable {
    // Leaf lock.
    private let first = Lock<Value?>(nil)
    var value: Value? { first.withLock { $0 } }
    func set(_ value: Value) { first.withLock { $0 = $0 ?? value } }
}

/// The item whose change the running provider code is serving, as a task-local value. If this code waits for pending
/// changes, the wait excludes this item, because the code would otherwise wait for itself.
///
/// The value is not passed on to the provider's own dispatch queues. A wait on such a queue may belong to any change
/// that the process is serving. Therefore its request contains the items of all these changes (``all``).
enum CurrentChange {
    @TaskLocal static var identifier: String?

    // Leaf lock.
    private static let served = Lock<[ExactText: Int]>([:])

    /// The identifiers of the items whose changes the process is serving.
    static var all: [String] { served.withLock { $0.keys.map(\.string) } }

    /// Runs provider code that changes an item.
    ///
    /// - Parameter changed: the identifier of the item; `nil` if the code changes no item.
    static func run<Value>(
        _ changed: String?, _ body: () throws(ProviderError) -> Value
    ) throws(ProviderError) -> Value {
        guard let changed else { return try body() }
        let key = ExactText(changed)
        served.withLock { $0[key, default: 0] += 1 }
        defer {
            served.withLock { served in
                let count = (served[key] ?? 1) - 1
                served[key] = count > 0 ? count : nil
            }
        }
        let result = $identifier.withValue(changed) { Result { () throws(ProviderError) in try body() } }
        return try result.get()
    }
}

/// The request object that a provider's functions receive. It does not disclose which program caused the request.
final class ServedRequest: NSFileProviderRequest {
    private let version: NSFileProviderDomainVersion?

    /// Creates a request.
    ///
    /// - Parameter provider: the object of the provider's class, which may report a version of its domain.
    init(to provider: any NSObjectProtocol) {
        version = (provider as? any NSFileProviderDomainState)?.domainVersion
        super.init()
    }

    override var isSystemRequest: Bool { true }
    override var domainVersion: NSFileProviderDomainVersion? { version }
}
