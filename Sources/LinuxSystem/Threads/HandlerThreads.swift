import CLinux
import Glibc

/// Threads for client code: each job gets a thread to itself, so that a job that blocks delays nobody else.
///
/// A dispatch queue for each job would do the same with two wake-ups where this needs one, and stops at 255 blocked
/// jobs. A few idle threads wait for the next jobs; the one that became idle last is used first, because its memory is still
/// in the processor's cache. They wait without a time limit: setting a timer costs as much as the hand-over itself.
///
/// Handlers may all block; completions have threads in reserve that handlers cannot take.
package final class HandlerThreads: Sendable {
    package typealias Job = @Sendable () -> Void

    package static let shared = HandlerThreads()

    package init() {}

    /// With so many handlers blocked, further ones wait for one of them.
    package static let handlerLimit = 2048
    /// Threads beyond that for everything else.
    private static let reserve = 512
    /// More idle threads than this are not kept.
    private static let idleLimit = 16

    private struct State {
        var idle: [Worker] = []
        var threads = 0
        /// How many of them run handlers.
        var handlers = 0
        /// What no thread could be had for.
        var waitingHandlers: [Assignment] = []
        var waitingCompletions: [Assignment] = []

        mutating func wait(_ assignment: Assignment) {
            if assignment.isHandler {
                waitingHandlers.append(assignment)
            } else {
                waitingCompletions.append(assignment)
            }
        }

        /// What has waited longest and may run now, completions first.
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

    // Innermost: jobs run and threads are made after it is released.
    private let state = Lock(State())

    /// Runs a handler, which may block for as long as it likes, on a thread of its own, soon; never on the calling one.
    package func runHandler(_ handler: @escaping Job) {
        run(Assignment(job: handler, isHandler: true))
    }

    /// Runs a job on a thread of its own, soon, however many handlers are blocked; never on the calling one.
    package func run(_ job: @escaping Job) {
        run(Assignment(job: job, isHandler: false))
    }

    private static let mark: pthread_key_t = {
        var key = pthread_key_t()
        pthread_key_create(&key, nil)
        return key
    }()

    /// Whether the calling thread is one of these, and so may be blocked.
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
        // No thread can be had now: the job waits for one of those that are busy, or for a later attempt.
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

    /// What a worker does next when it has finished its job.
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

    /// One thread, its next job and the semaphore it waits at.
    fileprivate final class Worker: @unchecked Sendable {
        // `semaphore` is a stable allocation of its own that only sem_* calls touch, and those are made for use from
        // several threads; everything else is immutable or behind the lock.
        private let semaphore: UnsafeMutablePointer<sem_t>
        let assignment: Lock<Assignment?>
        private let pool: HandlerThreads

        init(_ pool: HandlerThreads, _ assignment: Assignment) {
            self.pool = pool
            self.assignment = Lock(assignment)
            semaphore = .allocate(capacity: 1)
            sem_init(semaphore, 0, 0)
        }

        deinit {
            sem_destroy(semaphore)
            semaphore.deallocate()
        }

        func wake() { sem_post(semaphore) }

        func takeAssignment() -> Assignment? {
            assignment.withLock { assignment in
                defer { assignment = nil }
                return assignment
            }
        }

        func run() {
            _ = clinux_set_name("purvey-handler")
            // Otherwise the thread that hands over a job is put aside at once, and has to be scheduled once more only
            // to go to sleep. Without the right to it, that is all that is lost.
            _ = clinux_become_batch_thread()
            pthread_setspecific(HandlerThreads.mark, UnsafeRawPointer(semaphore))
            var assignment = takeAssignment()
            while true {
                assignment?.job()
                let wasHandler = assignment?.isHandler ?? false
                // What the job held is let go of before the thread waits.
                assignment = nil
                switch pool.next(for: self, after: wasHandler) {
                case .run(let next): assignment = next
                case .wait:
                    while sem_wait(semaphore) < 0 {}
                    assignment = takeAssignment()
                case .end: return
                }
            }
        }
    }
}
