import Glibc
import LinuxSystem
import Synchronization

/// The one place where clients' progresses are changed, one at a time in the whole process.
///
/// When a client adds a progress to another one, Foundation changes both on the client's thread, where this code cannot
/// hold a lock. However, Foundation begins by reading the child's hash, which calls ``announceAdding()``. From then on
/// the gate changes no progress until the client's thread has certainly finished adding. Adding takes less than a
/// microsecond of processor time. Therefore the thread has finished when it has used many times that, has ended, or
/// sleeps a while after it began.
///
/// Changes that were delayed for this reason are made in order on a separate thread.
enum ProgressGate {
    private struct Step {
        let progress: LoadProgress
        let units: Int64
        let then: (@Sendable () -> Void)?
    }

    private struct State {
        /// The threads that have begun to add a progress to another, and the time at which they began.
        var adders: [ThreadProgress] = []
        /// The changes that wait for these threads.
        var waiting: [Step] = []
    }

    /// The processor time in nanoseconds after which a thread has certainly finished adding. It includes the time that
    /// the kernel needs to allocate memory for the thread.
    private static let longestAdding = 1_000_000
    /// The time in nanoseconds since ``announceAdding()`` after which a sleeping thread has certainly finished adding.
    /// A thread that sleeps earlier may still be adding, because it waits for memory or for a lock whose holder does
    /// not run.
    private static let longestPause = 20_000_000
    /// The pause between checks, in microseconds.
    private static let pause: UInt32 = 20

    // Only Foundation's arithmetic, `hash`, and the deinitializers of objects that Foundation releases run under this
    // lock. `hash` and a deinitializer may call this type. With `owner`, the thread does not take the lock again.
    private static let state = Lock(State())
    /// The thread that holds the lock; 0 if no thread holds it.
    private static let owner = Atomic<UInt>(0)
    /// The number of threads that are in ``announceAdding()`` at this moment.
    private static let announcing = Atomic<Int>(0)

    private static func locked<Result>(_ body: (inout State) -> sending Result) -> sending Result {
        state.withLock { state in
            owner.store(pthread_self(), ordering: .relaxed)
            defer { owner.store(0, ordering: .relaxed) }
            return body(&state)
        }
    }

    /// Records that this thread begins to add a progress to another one.
    static func announceAdding() {
        // Foundation also reads the hash when a finished child leaves its parent, which happens under this lock.
        guard owner.load(ordering: .relaxed) != pthread_self() else { return }
        announcing.add(1, ordering: .sequentiallyConsistent)
        locked { state in
            state.adders.removeAll { $0.isOfThisThread }
            // The measurement does not begin earlier, because waiting for the lock may use processor time as well.
            state.adders.append(ThreadProgress())
            announcing.subtract(1, ordering: .sequentiallyConsistent)
        }
    }

    /// Blocks until no thread is adding a progress to another, then makes a change on this thread.
    static func wait(_ change: () -> Void) {
        if owner.load(ordering: .relaxed) == pthread_self() { return change() }
        while true {
            let isDone = locked { state in
                guard isQuiet(&state) else { return false }
                change()
                return true
            }
            if isDone { return }
            usleep(pause)
        }
    }

    /// Advances a progress, and then calls a function, both at once on this thread. If a thread is adding a progress,
    /// both happen later on another thread.
    static func move(_ progress: LoadProgress, to units: Int64, then: (@Sendable () -> Void)?) {
        // Under the lock, Foundation may release a client's object, which may call this function on the same thread.
        if owner.load(ordering: .relaxed) == pthread_self() {
            progress.advance(to: units)
            then?()
            return
        }
        enum Outcome { case done, waits, isFirstToWait }
        let outcome = locked { state -> Outcome in
            if state.waiting.isEmpty, isQuiet(&state) {
                progress.advance(to: units)
                return .done
            }
            state.waiting.append(Step(progress: progress, units: units, then: then))
            return state.waiting.count == 1 ? .isFirstToWait : .waits
        }
        switch outcome {
        case .done: then?()
        case .waits: break
        case .isFirstToWait: HandlerThreads.shared.run { catchUp() }
        }
    }

    /// Makes the waiting changes as soon as no thread is adding a progress any more.
    private static func catchUp() {
        while true {
            usleep(pause)
            let done = locked { state -> [Step]? in
                guard isQuiet(&state) else { return nil }
                for step in state.waiting { step.progress.advance(to: step.units) }
                defer { state.waiting = [] }
                return state.waiting
            }
            guard let done else { continue }
            for case let then? in done.map(\.then) { HandlerThreads.shared.run(then) }
            return
        }
    }

    /// Whether every thread that began to add a progress has finished adding it. The calling thread has finished,
    /// because it runs this code.
    private static func isQuiet(_ state: inout State) -> Bool {
        if state.adders.isEmpty { return true }
        let adding = state.adders.filter { !$0.isOfThisThread && !isPast($0) }
        // While a progress is being added, the parent's set of children may grow and read the hashes of its members
        // again. A thread that waits for this lock in order to announce such a read has not finished, although it
        // sleeps.
        if adding.count < state.adders.count, announcing.load(ordering: .sequentiallyConsistent) > 0 { return false }
        state.adders = adding
        return adding.isEmpty
    }

    private static func isPast(_ adder: ThreadProgress) -> Bool {
        guard let used = adder.processorTime else { return true }
        return used > longestAdding || adder.age > longestPause && !adder.isRunnable
    }
}
