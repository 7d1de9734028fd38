import Glibc
import LinuxSystem

/// The thread on which an engine changes its state: the executor of its actor.
///
/// A separate thread is needed, because SQLite and the disk block the thread. Threads of Swift's cooperative pool must
/// not block.
final class EngineThread: SerialExecutor {
    private enum Job {
        case task(UnownedJob)
        case function(@Sendable () -> Void)
    }

    private struct State {
        var jobs: [Job] = []
        var isWaiting = false
        var isStopped = false
        /// The running thread; `nil` until it has started.
        var thread: pthread_t?
    }

    // Leaf lock: jobs run after it is released.
    private let state = Lock(State())
    private let wakeUp = Semaphore()

    /// Creates and starts the thread.
    init(name: String) throws(Errno) {
        try SystemThread.start(name) { [self] in run() }
    }

    /// Ends the thread after its queued jobs have run. Only the actor's deinitializer calls this function, so no
    /// further jobs are queued.
    func stop() {
        let wasWaiting = state.withLock { state in
            state.isStopped = true
            defer { state.isWaiting = false }
            return state.isWaiting
        }
        if wasWaiting { wakeUp.signal() }
    }

    func enqueue(_ job: consuming ExecutorJob) { append(.task(UnownedJob(job))) }

    /// Enqueues a function on the thread.
    func run(_ function: @escaping @Sendable () -> Void) { append(.function(function)) }

    private func append(_ job: Job) {
        let wasWaiting = state.withLock { state in
            state.jobs.append(job)
            defer { state.isWaiting = false }
            return state.isWaiting
        }
        if wasWaiting { wakeUp.signal() }
    }

    var isCurrent: Bool {
        let thread = state.withLock { $0.thread }
        return thread.map { pthread_equal($0, pthread_self()) != 0 } ?? false
    }

    func isIsolatingCurrentContext() -> Bool? { isCurrent }

    func checkIsolated() { precondition(isCurrent, "This is done on the engine's own thread only.") }

    private func run() {
        state.withLock { $0.thread = pthread_self() }
        while true {
            let (jobs, isStopped) = state.withLock { state in
                let jobs = state.jobs
                state.jobs.removeAll(keepingCapacity: jobs.count < 1000)
                state.isWaiting = jobs.isEmpty && !state.isStopped
                return (jobs, state.isStopped)
            }
            for job in jobs {
                switch job {
                case .task(let job): job.runSynchronously(on: asUnownedSerialExecutor())
                case .function(let function): function()
                }
            }
            if jobs.isEmpty {
                if isStopped { return }
                wakeUp.wait()
            }
        }
    }
}
