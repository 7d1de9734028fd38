import Foundation
import Glibc
import LinuxSystem

/// An executor that runs jobs on threads that the jobs may block.
///
/// A job that another job enqueues runs after it on the same thread, because waking another thread takes longer. If the
/// first job does not end soon, for example because it blocks, the second one gets a separate thread.
final class ThreadExecutor: TaskExecutor {
    static let shared = ThreadExecutor()

    private struct State {
        var all: [WorkerThread] = []
        /// Threads without a job. The one that became idle last is used first.
        var idle: [WorkerThread] = []
    }

    private let state = Lock(State())
    /// Whether the watching thread searches for jobs that wait too long.
    private let isWatched = Atomic(false)
    private let watchBegins = DispatchSemaphore(value: 0)

    private init() {
        Thread.detachNewThread { self.watch() }
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        guard let worker = WorkerThread.current, worker.follow(with: job) else { return start(job) }
        if !isWatched.exchange(true, ordering: .sequentiallyConsistent) { watchBegins.signal() }
    }

    private func start(_ job: UnownedJob) {
        if let worker = state.withLock({ $0.idle.popLast() }) { return worker.hand(job) }
        let worker = WorkerThread(job, for: self)
        state.withLock { $0.all.append(worker) }
    }

    func noteIdle(_ worker: WorkerThread) { state.withLock { $0.idle.append(worker) } }

    /// Starts jobs on other threads if they have waited behind another job for a millisecond or two.
    private func watch() {
        while true {
            watchBegins.wait()
            var quietLooks = 0
            while quietLooks < 50 {
                usleep(1000)
                quietLooks = look() ? 0 : quietLooks + 1
            }
            isWatched.store(false, ordering: .sequentiallyConsistent)
            // A job that was enqueued before that did not start the watch.
            if look(), !isWatched.exchange(true, ordering: .sequentiallyConsistent) { watchBegins.signal() }
        }
    }

    /// - Returns: Whether any job followed another one since the last call.
    private func look() -> Bool {
        var isAny = false
        for worker in state.withLock({ $0.all }) {
            let (late, isUsed) = worker.late()
            isAny = isAny || isUsed
            if let late { start(late) }
        }
        return isAny
    }
}
