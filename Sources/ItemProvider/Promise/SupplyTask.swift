import Dispatch
import Foundation
import LinuxSystem

/// One run of a load handler, which completes once and can be observed and cancelled.
///
/// The handler runs on a separate thread, so that a handler that blocks does not delay others, as long as fewer than
/// `HandlerThreads.handlerLimit` handlers block. The task is completed by the handler, by the cancellation of the
/// handler's progress, or by ``cancel()``. Only the first of these has an effect.
package final class SupplyTask: Sendable {
    package typealias Completion = @Sendable (Result<Supply, any Error>) -> Void

    /// The running work, which is cancelled with the task.
    private enum Running {
        case handler(Progress)
        case request(cancel: @Sendable () -> Void)

        func cancel() {
            switch self {
            case .handler(let progress): progress.cancel()
            case .request(let cancel): cancel()
            }
        }
    }

    private struct State {
        var completion: Completion?
        var running: Running?
        var reportedFraction = 0.0
        var isCancelled = false
    }

    // Leaf lock: client code and completions run after it is released.
    private let state: Lock<State>
    private let report: @Sendable (Double) -> Void

    /// Starts the handler or the request of a representation.
    ///
    /// - Parameters:
    ///   - report: gets the finished fraction (0 to 1, never falling) after each change, from one thread at a time.
    ///     After the task was completed, no further change is reported, but the last report may overlap the completion.
    ///   - completion: called exactly once, on the thread that completed the task. A handler of this process never
    ///     completes it before this initializer returns.
    package init(
        _ representation: Representation, for delivery: Delivery, report: @escaping @Sendable (Double) -> Void,
        completion: @escaping Completion
    ) {
        self.report = report
        state = Lock(State(completion: completion))
        switch representation.keeper {
        case .handler(let handler):
            HandlerThreads.shared.runHandler { self.start(handler, for: delivery) }
        case .request(let request):
            hold(.request(cancel: request(delivery, { self.advance(to: $0) }, { self.settle($0) })))
        }
    }

    private func start(_ handler: Representation.Handler, for delivery: Delivery) {
        if isSettled { return }
        guard let progress = handler(delivery, { self.settle($0) }) else { return }
        if hold(.handler(progress)) { ProgressSampler.shared.watch(self) }
    }

    /// Stores the work to cancel. Returns `false` if the task has been completed already.
    @discardableResult
    private func hold(_ running: Running) -> Bool {
        let (isHeld, isCancelled) = state.withLock { state in
            if state.completion != nil { state.running = running }
            return (state.completion != nil, state.isCancelled)
        }
        if isCancelled { running.cancel() }
        return isHeld
    }

    /// Ends the task with a cancellation error, and cancels the running work. Cancelling the progress of a handler in
    /// this process may run client code on this thread. Has no effect once the task is completed.
    package func cancel() {
        let running = state.withLock { state in
            if state.completion != nil { state.isCancelled = true }
            return state.completion == nil ? nil : state.running
        }
        settle(.failure(ItemProviderError.cancelled()))
        running?.cancel()
    }

    private func settle(_ result: Result<Supply, any Error>) {
        let completion = state.withLock { state in
            defer {
                state.completion = nil
                state.running = nil
            }
            return state.completion
        }
        completion?(result)
    }

    fileprivate var isSettled: Bool {
        state.withLock { $0.completion == nil }
    }

    private func advance(to fraction: Double) {
        let isNews = state.withLock { state in
            guard state.completion != nil, fraction > state.reportedFraction else { return false }
            state.reportedFraction = fraction
            return true
        }
        if isNews { report(fraction) }
    }

    /// Reads the handler's progress and reports a change.
    fileprivate func sample() {
        guard case .handler(let progress) = state.withLock({ $0.running }) else { return }
        if progress.isCancelled { return settle(.failure(ItemProviderError.cancelled())) }
        let fraction = (progress as? SuccessiveProgress)?.fraction ?? progress.fractionCompleted
        // The handler may be updating its progress at this moment, and Foundation's arithmetic on Linux is not
        // atomic.
        if fraction.isFinite, fraction <= 1 { advance(to: fraction) }
    }
}

/// A sampler of the progress of running load handlers, at a steady interval.
///
/// Foundation on Linux has no key-value observing, and its `Progress` may not be updated from several threads at once.
/// Therefore a handler's progress does not become a child of a load's progress. It is sampled, and one thread passes on
/// the value.
private final class ProgressSampler: Sendable {
    static let shared = ProgressSampler()

    /// The interval at which progress is read. It is short enough for a progress bar, and to notice that a provider
    /// cancelled.
    private static let beat = DispatchTimeInterval.milliseconds(20)

    private let tasks = Lock<[SupplyTask]>([])
    private let queue = DispatchQueue(label: "purvey.progress-sampler")

    func watch(_ task: SupplyTask) {
        let isFirst = tasks.withLock { tasks in
            tasks.append(task)
            return tasks.count == 1
        }
        if isFirst { scheduleBeat() }
    }

    private func scheduleBeat() {
        queue.asyncAfter(deadline: .now() + Self.beat) { self.sampleAll() }
    }

    private func sampleAll() {
        for task in tasks.withLock({ $0 }) { task.sample() }
        let goesOn = tasks.withLock { tasks in
            tasks.removeAll { $0.isSettled }
            return !tasks.isEmpty
        }
        if goesOn { scheduleBeat() }
    }
}
