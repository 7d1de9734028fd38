import Dispatch
import Foundation
import LinuxSystem
import Synchronization

/// Calls client code on the main thread, and lets the main thread wait for a value without preventing such calls.
///
/// AppKit's owners and delegates are called on the main thread. An owner that reads a pasteboard blocks, possibly until
/// its own process provides promised data. Therefore a wait on the main thread also runs the jobs that other threads
/// have for the main thread.
enum MainThread {
    /// Jobs that have not begun. Leaf lock: jobs run after it is released.
    private static let jobs = Lock<[Job]>([])
    /// The semaphore that is signalled for each job, and when the value for which the main thread waits was provided.
    /// Spurious signals are harmless.
    private static let news = DispatchSemaphore(value: 0)

    private static let hasEnded = Atomic(false)
    private static let mark: MainQueueMark = {
        let mark = MainQueueMark()
        DispatchQueue.main.setSpecific(key: mark.key, value: true)
        return mark
    }()

    /// Whether this is the main thread, or the thread on which the main queue runs after `dispatchMain`.
    static var isCurrent: Bool {
        Thread.isMainThread || DispatchQueue.getSpecific(key: mark.key) == true
    }

    /// Records that the main thread is ending the process, and that it runs no more jobs.
    static func end() { hasEnded.store(true, ordering: .releasing) }

    /// Runs a function on the main thread and waits for its end.
    ///
    /// - Returns: whether the function has ended within the limit. If it has not begun within the limit, it never runs.
    static func perform(within limit: DispatchTimeInterval, _ body: @escaping @Sendable () -> Void) -> Bool {
        if isCurrent {
            body()
            return true
        }
        if hasEnded.load(ordering: .acquiring) { return false }
        let job = Job(body)
        jobs.withLock { $0.append(job) }
        news.signal()
        DispatchQueue.main.async { run(job) }
        let hasEnded = job.ended.wait(timeout: .now() + limit) == .success
        if !hasEnded { jobs.withLock { $0.removeAll { $0 === job } } }
        return hasEnded
    }

    /// Runs a function on the main thread soon.
    static func schedule(_ body: @escaping @Sendable () -> Void) {
        let job = Job(body)
        jobs.withLock { $0.append(job) }
        news.signal()
        DispatchQueue.main.async { run(job) }
    }

    /// Calls `start`, and blocks the calling thread until a value is provided.
    ///
    /// - Parameters:
    ///   - limit: the timeout.
    ///   - start: gets a function that provides the value. Only the first call of this function has an effect.
    /// - Returns: the value; `nil` if none was provided in time.
    static func wait<Value: Sendable>(
        within limit: DispatchTimeInterval, _ start: (@escaping @Sendable (Value?) -> Void) -> Void
    ) -> Value? {
        wait(until: .now() + limit, start)
    }

    /// Calls `start`, and blocks the calling thread until a value is provided or the deadline has passed, see
    /// ``wait(within:_:)``.
    static func wait<Value: Sendable>(
        until deadline: DispatchTime, _ start: (@escaping @Sendable (Value?) -> Void) -> Void
    ) -> Value? {
        let arrival = Arriving<Value>()
        let isMain = isCurrent
        let ended = DispatchSemaphore(value: 0)
        start { value in
            arrival.settle(value)
            (isMain ? news : ended).signal()
        }
        guard isMain else {
            _ = ended.wait(timeout: deadline)
            return arrival.value
        }
        while !arrival.isSettled {
            if let job = jobs.withLock({ $0.first }) {
                run(job)
            } else if news.wait(timeout: deadline) == .timedOut {
                break
            }
        }
        return arrival.value
    }

    private static func run(_ job: Job) {
        let isWaiting = jobs.withLock { jobs in
            let count = jobs.count
            jobs.removeAll { $0 === job }
            return jobs.count < count
        }
        guard isWaiting else { return }
        job.body()
        job.ended.signal()
    }

    private final class Job: Sendable {
        let body: @Sendable () -> Void
        let ended = DispatchSemaphore(value: 0)

        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }

    private final class Arriving<Value: Sendable>: Sendable {
        // Leaf lock.
        private let state = Lock<(isSettled: Bool, value: Value?)>((false, nil))

        func settle(_ value: Value?) {
            state.withLock { state in
                if !state.isSettled { state = (true, value) }
            }
        }

        var isSettled: Bool { state.withLock { $0.isSettled } }
        var value: Value? { state.withLock { $0.value } }
    }
}

/// The key whose value marks the main queue. Sendable because a key has no state: it is identified by its address.
private final class MainQueueMark: @unchecked Sendable {
    let key = DispatchSpecificKey<Bool>()
}
