import Glibc
import LinuxSystem
import Synchronization

/// The one place where progresses that clients hold are changed, one at a time in the whole process.
///
/// A client adds them to a progress of its own, which changes that one on the client's thread, and no lock of ours can be held
/// for as long as this takes. But Foundation begins by asking the child for its hash, which announces the adding here: from then
/// on nothing is changed until that thread is certainly past it. The rest takes less than a microsecond of the thread's
/// processor time, so the thread is past it when it has used many times that, has ended, or has gone to sleep.
///
/// What has to wait meanwhile is done in order on a thread of its own.
enum ProgressGate {
    private struct Step {
        let progress: LoadProgress
        let units: Int64
        let then: (@Sendable () -> Void)?
    }

    private struct State {
        /// The threads that have begun to add a progress to another, and when.
        var adders: [ThreadMark] = []
        /// What waits for them.
        var waiting: [Step] = []
    }

    /// A thread that has used so much processor time is past the adding, in nanoseconds. What the kernel takes of it to find memory counts.
    private static let longestAdding = 1_000_000
    /// A thread that sleeps so long after it began does not sleep in the middle of it, for want of memory or of a lock that whoever has
    /// it holds while no processor is free for it.
    private static let longestPause = 20_000_000
    /// How long to wait before looking again, in microseconds.
    private static let pause: UInt32 = 20

    // Only Foundation's arithmetic and `hash` run under it: that asks for the lock again, which `owner` answers.
    private static let state = Lock(State())
    /// The thread that holds the lock; 0 when nobody does.
    private static let owner = Atomic<UInt>(0)
    /// How many threads are announcing at this moment.
    private static let announcing = Atomic<Int>(0)

    private static func locked<Result>(_ body: (inout State) -> sending Result) -> sending Result {
        state.withLock { state in
            owner.store(pthread_self(), ordering: .relaxed)
            defer { owner.store(0, ordering: .relaxed) }
            return body(&state)
        }
    }

    /// Says that this thread begins to add a progress to another.
    static func announceAdding() {
        // Foundation asks for the hash also when a finished child leaves its parent.
        guard owner.load(ordering: .relaxed) != pthread_self() else { return }
        announcing.add(1, ordering: .sequentiallyConsistent)
        locked { state in
            state.adders.removeAll { $0.isOfThisThread }
            // Not before: waiting for the lock may use processor time as well.
            state.adders.append(ThreadMark())
            announcing.subtract(1, ordering: .sequentiallyConsistent)
        }
    }

    /// Changes progresses as soon as nobody is adding one; waits until then.
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

    /// Moves a progress forward, at once or, while somebody is adding one, later. Then calls the function: on this thread, or later on
    /// another one.
    static func move(_ progress: LoadProgress, to units: Int64, then: (@Sendable () -> Void)?) {
        // A client's object that goes with a progress may go here, and what it does then comes back to this thread.
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

    /// Does what has waited, once nobody is adding any more.
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

    /// Whether every thread that began to add a progress is past it. One that asks is.
    private static func isQuiet(_ state: inout State) -> Bool {
        if state.adders.isEmpty { return true }
        let adding = state.adders.filter { !$0.isOfThisThread && !isPast($0) }
        // A set that grows asks for hashes in the middle of an adding. A thread that sleeps for that is not past anything.
        if adding.count < state.adders.count, announcing.load(ordering: .sequentiallyConsistent) > 0 { return false }
        state.adders = adding
        return adding.isEmpty
    }

    private static func isPast(_ adder: ThreadMark) -> Bool {
        guard let used = adder.processorTime else { return true }
        return used > longestAdding || adder.age > longestPause && !adder.isRunnable
    }
}
