import Foundation
import LinuxSystem

/// Runs each job on a thread that no other job uses meanwhile.
final class ThreadExecutor: TaskExecutor {
    static let shared = ThreadExecutor()

    /// Threads that wait for a job; the one that became idle last is used first.
    private let idle = Lock<[Worker]>([])

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        if let worker = idle.withLock({ $0.popLast() }) {
            worker.hand(job)
        } else {
            let worker = Worker(job)
            Thread.detachNewThread { worker.run(for: self) }
        }
    }

    private func isIdle(_ worker: Worker) { idle.withLock { $0.append(worker) } }

    /// What one thread runs next. It is not idle while it has a job.
    private final class Worker: Sendable {
        private let job: Lock<UnownedJob?>
        private let handedOver = DispatchSemaphore(value: 0)

        init(_ job: UnownedJob) { self.job = Lock(job) }

        func hand(_ next: UnownedJob) {
            job.withLock { $0 = next }
            handedOver.signal()
        }

        func run(for executor: ThreadExecutor) {
            while true {
                if let next = job.withLock({ $0.take() }) {
                    next.runSynchronously(on: executor.asUnownedTaskExecutor())
                }
                executor.isIdle(self)
                handedOver.wait()
            }
        }
    }
}
