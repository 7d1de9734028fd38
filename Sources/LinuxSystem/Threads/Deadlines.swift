import Dispatch

/// A scheduler of delayed jobs. Jobs run one after the other on a separate thread. The thread exists only while jobs
/// are scheduled, and does not belong to a thread pool. Jobs must not block.
package final class Deadlines: Sendable {
    package static let shared = Deadlines()

    package init() {}

    /// A scheduled job.
    package final class Entry: Sendable {
        fileprivate let time: ContinuousClock.Instant
        // This lock is acquired while the scheduler's lock is held, never the other way round.
        private let job: Lock<(@Sendable () -> Void)?>

        fileprivate init(_ time: ContinuousClock.Instant, _ job: @escaping @Sendable () -> Void) {
            self.time = time
            self.job = Lock(job)
        }

        fileprivate func take() -> (@Sendable () -> Void)? {
            job.withLock { job in
                defer { job = nil }
                return job
            }
        }

        fileprivate var isCancelled: Bool { job.withLock { $0 == nil } }
    }

    private struct State {
        /// The entries in order of time. Entries before the index `start` are done.
        var entries: [Entry?] = []
        var start = 0
        /// The number of cancelled entries that are still in `entries`.
        var cancelled = 0
        var isRunning = false

        mutating func insert(_ entry: Entry) {
            // Most entries have the same delay, so that a new entry usually belongs at the end.
            var (low, high) = (start, entries.endIndex)
            if low < high, let last = entries[high - 1], last.time <= entry.time { low = high }
            while low < high {
                let middle = low + (high - low) / 2
                if let other = entries[middle], other.time > entry.time { high = middle } else { low = middle + 1 }
            }
            entries.insert(entry, at: low)
        }

        var first: Entry? { start < entries.endIndex ? entries[start] : nil }

        mutating func removeFirst() {
            entries[start] = nil
            start += 1
            guard start > entries.count / 2 else { return }
            entries.removeFirst(start)
            start = 0
        }

        /// Removes the cancelled entries if they are the majority of all entries. This limits both the time for
        /// removals and the memory for cancelled entries.
        mutating func sweep() {
            guard cancelled > 64, cancelled > (entries.count - start) / 2 else { return }
            entries = entries[start...].filter { $0?.isCancelled == false }
            start = 0
            cancelled = 0
        }
    }

    private enum Next {
        case run(@Sendable () -> Void)
        case skip
        case wait(Duration)
        case end
    }

    // While this lock is held, only the lock of an entry is taken. Jobs run after this lock is released.
    private let state = Lock(State())
    /// The semaphore that is signalled when a new entry is the earliest one.
    private let hasChanged = DispatchSemaphore(value: 0)

    /// Cancels a job unless it has begun to run, and releases the values that it captures.
    package func cancel(_ entry: Entry) {
        let job = state.withLock { state in
            let job = entry.take()
            if job != nil {
                state.cancelled += 1
                state.sweep()
            }
            return job
        }
        // The job's captures are destroyed after the lock is released.
        _ = job
    }

    /// The number of scheduled jobs. Cancelled jobs that were not removed yet are included.
    package var count: Int { state.withLock { $0.entries.count - $0.start } }

    /// Schedules a job to run once, after a delay.
    ///
    /// - Returns: the entry to pass to ``cancel(_:)``.
    @discardableResult
    package func run(after pause: Duration, _ job: @escaping @Sendable () -> Void) -> Entry {
        let time = ContinuousClock.now + pause
        let entry = Entry(time, job)
        let (isNew, isFirst) = state.withLock { state in
            let first = state.first
            state.insert(entry)
            defer { state.isRunning = true }
            return (!state.isRunning, first.map { time < $0.time } ?? true)
        }
        if isNew {
            do {
                try SystemThread.start("purvey-limits") { [self] in runAll() }
            } catch {
                // No thread can be created now, so an existing thread of ``HandlerThreads`` runs the jobs when it is
                // free.
                HandlerThreads.shared.run { [self] in runAll() }
            }
        } else if isFirst {
            hasChanged.signal()
        }
        return entry
    }

    private func runAll() {
        while true {
            let next = state.withLock { state -> Next in
                guard let first = state.first else {
                    state.isRunning = false
                    return .end
                }
                let rest = ContinuousClock.now.duration(to: first.time)
                if rest > .zero { return .wait(rest) }
                state.removeFirst()
                if let job = first.take() { return .run(job) }
                state.cancelled -= 1
                return .skip
            }
            switch next {
            case .run(let job): job()
            case .skip: break
            case .wait(let rest):
                let (seconds, attoseconds) = rest.components
                let time =
                    DispatchTime.now() + .seconds(Int(clamping: seconds))
                    + .nanoseconds(
                        Int(attoseconds / 1_000_000_000) + 1)
                _ = hasChanged.wait(timeout: time)
            case .end: return
            }
        }
    }
}
