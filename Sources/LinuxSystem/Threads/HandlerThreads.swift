import CLinux
import Glibc

/// Threads for client code: each job gets a thread to itself, so that a job that blocks delays nobody else.
///
/// A dispatch queue for each job would do the same with two wake-ups where this needs one, and stops at 255 blocked
/// jobs. A few idle threads wait for the next jobs; the one that became idle last is used first, because its memory is still
/// in the processor's cache. They wait without a time limit: setting a timer costs as much as the hand-over itself.
package final class HandlerThreads: Sendable {
    package typealias Job = @Sendable () -> Void

    package static let shared = HandlerThreads()

    /// With so many jobs blocked, further ones wait for one of them.
    private static let threadLimit = 2048
    /// More idle threads than this are not kept.
    private static let idleLimit = 16

    private struct State {
        var idle: [Worker] = []
        var threads = 0
        /// Jobs that no thread could be had for.
        var waiting: [Job] = []
    }

    // Innermost: jobs run and threads are made after it is released.
    private let state = Lock(State())

    /// Runs a job on a thread of its own, soon; never on the calling one.
    package func run(_ job: @escaping Job) {
        enum Step {
            case wake(Worker)
            case start
            case wait
        }
        let step = state.withLock { state -> Step in
            if let worker = state.idle.popLast() {
                worker.job.withLock { $0 = job }
                return .wake(worker)
            }
            guard state.threads < Self.threadLimit else {
                state.waiting.append(job)
                return .wait
            }
            state.threads += 1
            return .start
        }
        switch step {
        case .wake(let worker): worker.wake()
        case .start: start(Worker(self, job: job))
        case .wait: break
        }
    }

    private func start(_ worker: Worker) {
        var thread = pthread_t()
        let context = Unmanaged.passRetained(worker)
        let failure = pthread_create(
            &thread, nil,
            { context in
                guard let context else { return nil }
                Unmanaged<Worker>.fromOpaque(context).takeRetainedValue().run()
                return nil
            }, context.toOpaque())
        guard failure != 0 else {
            pthread_detach(thread)
            return
        }
        context.release()
        // No thread can be had now: the job waits for one of those that are busy, or for a later attempt.
        let isAlone = state.withLock { state in
            state.threads -= 1
            if let job = worker.takeJob() { state.waiting.append(job) }
            return state.threads == 0
        }
        if isAlone {
            usleep(1000)
            retry()
        }
    }

    private func retry() {
        let job = state.withLock { $0.waiting.isEmpty ? nil : $0.waiting.removeFirst() }
        if let job { run(job) }
    }

    /// What a worker does next when it has finished its job.
    fileprivate enum Next {
        case run(Job)
        case wait
        case end
    }

    fileprivate func next(for worker: Worker) -> Next {
        state.withLock { state in
            if !state.waiting.isEmpty { return .run(state.waiting.removeFirst()) }
            guard state.idle.count < Self.idleLimit else {
                state.threads -= 1
                return .end
            }
            state.idle.append(worker)
            return .wait
        }
    }

    /// One thread, its next job and the semaphore it waits at.
    fileprivate final class Worker: @unchecked Sendable {
        // `semaphore` is a stable allocation of its own that only sem_* calls touch, and those are made for use from
        // several threads; everything else is immutable or behind the lock.
        private let semaphore: UnsafeMutablePointer<sem_t>
        let job: Lock<Job?>
        private let pool: HandlerThreads

        init(_ pool: HandlerThreads, job: @escaping Job) {
            self.pool = pool
            self.job = Lock(job)
            semaphore = .allocate(capacity: 1)
            sem_init(semaphore, 0, 0)
        }

        deinit {
            sem_destroy(semaphore)
            semaphore.deallocate()
        }

        func wake() { sem_post(semaphore) }

        func takeJob() -> Job? {
            job.withLock { job in
                defer { job = nil }
                return job
            }
        }

        func run() {
            _ = clinux_set_name("purvey-handler")
            // Otherwise the thread that hands over a job is put aside at once, and has to be scheduled once more only
            // to go to sleep. Without the right to it, that is all that is lost.
            _ = clinux_become_batch_thread()
            var job = takeJob()
            while true {
                job?()
                // What the job held is let go of before the thread waits.
                job = nil
                switch pool.next(for: self) {
                case .run(let next): job = next
                case .wait:
                    while sem_wait(semaphore) < 0 {}
                    job = takeJob()
                case .end: return
                }
            }
        }
    }
}
