import CLinux
import Glibc

/// Threads that run client code. Each job runs on a separate thread, so that a job that blocks does not delay other
/// jobs.
///
/// A dispatch queue for each job would need two wake-ups instead of one, and would start no more jobs while 255 jobs
/// are blocked. A few idle threads wait for jobs. The thread that became idle last is used first, because its memory is
/// still in the processor's cache. Idle threads wait without a timeout, because setting a timer costs as much as waking
/// the thread.
///
/// There are two kinds of jobs. Handlers are jobs that may block forever. All other jobs, such as completion handlers,
/// run even if the maximum number of handlers is blocked, because some threads are reserved for them.
package final class HandlerThreads: Sendable {
    package typealias Job = @Sendable () -> Void

    package static let shared = HandlerThreads()

    package init() {}

    /// The maximum number of handlers that run at the same time. Further handlers wait.
    package static let handlerLimit = 2048
    /// The number of threads, in addition to ``handlerLimit``, for jobs that are not handlers.
    private static let reserve = 512
    /// The maximum number of idle threads.
    private static let idleLimit = 16

    private struct State {
        var idle: [Worker] = []
        var threads = 0
        /// The number of threads that run handlers at the moment.
        var handlers = 0
        /// Handlers that wait because no thread was available, or because the maximum number of handlers was running.
        var waitingHandlers: [Assignment] = []
        var waitingCompletions: [Assignment] = []

        mutating func wait(_ assignment: Assignment) {
            if assignment.isHandler {
                waitingHandlers.append(assignment)
            } else {
                waitingCompletions.append(assignment)
            }
        }

        /// Removes and returns the next waiting job that may run; `nil` if there is none. Jobs that are not handlers
        /// come first.
        mutating func nextWaiting() -> Assignment? {
            if !waitingCompletions.isEmpty { return waitingCompletions.removeFirst() }
            guard !waitingHandlers.isEmpty, handlers < handlerLimit else { return nil }
            return waitingHandlers.removeFirst()
        }
    }

    fileprivate struct Assignment {
        let job: Job
        let isHandler: Bool
    }

    // While this lock is held, only the lock of a worker is taken. Jobs run and threads are created after this lock is
    // released.
    private let state = Lock(State())

    /// Runs a handler on a separate thread. The handler may block without limit. It never runs on the calling thread.
    package func runHandler(_ handler: @escaping Job) {
        run(Assignment(job: handler, isHandler: true))
    }

    /// Runs a job on a separate thread, even if all handlers are blocked. The job never runs on the calling thread.
    package func run(_ job: @escaping Job) {
        run(Assignment(job: job, isHandler: false))
    }

    private static let mark: pthread_key_t = {
        var key = pthread_key_t()
        pthread_key_create(&key, nil)
        return key
    }()

    /// Whether the calling thread is one of these threads, so that it may block.
    package static var isCurrent: Bool { pthread_getspecific(mark) != nil }

    private func run(_ assignment: Assignment) {
        enum Step {
            case wake(Worker)
            case start
            case wait
        }
        let step = state.withLock { state -> Step in
            let isTooMany = assignment.isHandler && state.handlers >= Self.handlerLimit
            guard !isTooMany, !state.idle.isEmpty || state.threads < Self.handlerLimit + Self.reserve else {
                state.wait(assignment)
                return .wait
            }
            if assignment.isHandler { state.handlers += 1 }
            if let worker = state.idle.popLast() {
                worker.assignment.withLock { $0 = assignment }
                return .wake(worker)
            }
            state.threads += 1
            return .start
        }
        switch step {
        case .wake(let worker): worker.wake()
        case .start: start(Worker(self, assignment))
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
        // No thread can be created now: the job waits for a busy thread, or for a later attempt.
        let isAlone = state.withLock { state in
            state.threads -= 1
            if let assignment = worker.takeAssignment() {
                if assignment.isHandler { state.handlers -= 1 }
                state.wait(assignment)
            }
            return state.threads == 0
        }
        if isAlone {
            usleep(1000)
            retry()
        }
    }

    private func retry() {
        if let assignment = state.withLock({ $0.nextWaiting() }) { run(assignment) }
    }

    /// The next step of a thread that has finished its job.
    fileprivate enum Next {
        case run(Assignment)
        case wait
        case end
    }

    fileprivate func next(for worker: Worker, after handler: Bool) -> Next {
        state.withLock { state in
            if handler { state.handlers -= 1 }
            if let assignment = state.nextWaiting() {
                if assignment.isHandler { state.handlers += 1 }
                return .run(assignment)
            }
            guard state.idle.count < Self.idleLimit else {
                state.threads -= 1
                return .end
            }
            state.idle.append(worker)
            return .wait
        }
    }

    /// A thread with its next job, and the semaphore for which the thread waits.
    fileprivate final class Worker: Sendable {
        private let wakeUp = Semaphore()
        let assignment: Lock<Assignment?>
        private let pool: HandlerThreads

        init(_ pool: HandlerThreads, _ assignment: Assignment) {
            self.pool = pool
            self.assignment = Lock(assignment)
        }

        func wake() { wakeUp.signal() }

        func takeAssignment() -> Assignment? {
            assignment.withLock { assignment in
                defer { assignment = nil }
                return assignment
            }
        }

        func run() {
            _ = clinux_set_name("purvey-handler")
            // As a batch thread, this thread does not preempt the thread that assigns it a job. A preempted thread
            // would have to be scheduled once more, often only to sleep. A failure of the call is harmless.
            _ = clinux_become_batch_thread()
            pthread_setspecific(HandlerThreads.mark, Unmanaged.passUnretained(self).toOpaque())
            var assignment = takeAssignment()
            while true {
                assignment?.job()
                let wasHandler = assignment?.isHandler ?? false
                // The job's captures are released before the thread waits.
                assignment = nil
                switch pool.next(for: self, after: wasHandler) {
                case .run(let next): assignment = next
                case .wait:
                    wakeUp.wait()
                    assignment = takeAssignment()
                case .end: return
                }
            }
        }
    }
}

extension HandlerThreads {
    /// Runs a blocking function on a separate thread, and suspends the task. The threads of the concurrency runtime are
    /// few and shared, so they must not block.
    ///
    /// A cancelled task still waits for the end of the function.
    package func value<Value: Sendable, Failure>(
        of body: @escaping @Sendable () throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        let result: Result<Value, Failure> = await withCheckedContinuation { continuation in
            run { continuation.resume(returning: Result(catching: body)) }
        }
        return try result.get()
    }
}
