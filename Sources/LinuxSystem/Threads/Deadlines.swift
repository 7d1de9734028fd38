import Dispatch

/// Runs jobs after a while, one after the other, on a thread of their own that is there as long as there are any, whatever
/// happens to the threads of others. Jobs must not block.
package final class Deadlines: Sendable {
    package static let shared = Deadlines()

    package init() {}

    /// A job that is to be run.
    package final class Entry: Sendable {
        fileprivate let time: ContinuousClock.Instant
        // Taken inside of the lock of all of them.
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
        /// The earliest first, from `start` on; those before are over.
        var entries: [Entry?] = []
        var start = 0
        /// How many of those that are left will do nothing.
        var cancelled = 0
        var isRunning = false

        mutating func insert(_ entry: Entry) {
            // Nearly all are for the same length of time, so the new one comes last.
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

        /// Takes out what was cancelled once it is most of all, so that it costs little and is not kept long.
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

    // Innermost: jobs run after it is released.
    private let state = Lock(State())
    /// Signalled when there is an earlier entry than before.
    private let hasChanged = DispatchSemaphore(value: 0)

    /// Forgets a job, if it has not begun, with all that it holds on to.
    package func cancel(_ entry: Entry) {
        let job = state.withLock { state in
            let job = entry.take()
            if job != nil {
                state.cancelled += 1
                state.sweep()
            }
            return job
        }
        // What it holds on to goes after the lock is released.
        _ = job
    }

    /// How many jobs are kept, with those that were cancelled a moment ago.
    package var count: Int { state.withLock { $0.entries.count - $0.start } }

    /// Runs a job once, after a while.
    ///
    /// - Returns: what it is cancelled by.
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
                // No thread can be had now: one that is there already does it, when it can.
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
