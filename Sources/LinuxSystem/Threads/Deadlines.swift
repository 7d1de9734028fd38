import Dispatch

/// Runs jobs after a while, one after the other, on a thread of their own that is there as long as there are any, whatever
/// happens to the threads of others. Jobs must not block.
package final class Deadlines: Sendable {
    package static let shared = Deadlines()

    package init() {}

    private struct Entry {
        let time: ContinuousClock.Instant
        let job: @Sendable () -> Void
    }

    private struct State {
        /// The earliest first, from `start` on; those before are over.
        var entries: [Entry?] = []
        var start = 0
        var isRunning = false

        mutating func insert(_ entry: Entry) {
            // Nearly all are for the same length of time, so the new one comes last.
            var place = entries.endIndex
            while place > start, let before = entries[place - 1], before.time > entry.time { place -= 1 }
            entries.insert(entry, at: place)
        }

        var first: Entry? { start < entries.endIndex ? entries[start] : nil }

        mutating func removeFirst() {
            entries[start] = nil
            start += 1
            guard start > entries.count / 2 else { return }
            entries.removeFirst(start)
            start = 0
        }
    }

    private enum Next {
        case run(@Sendable () -> Void)
        case wait(Duration)
        case end
    }

    // Innermost: jobs run after it is released.
    private let state = Lock(State())
    /// Signalled when there is an earlier entry than before.
    private let hasChanged = DispatchSemaphore(value: 0)

    package func run(after pause: Duration, _ job: @escaping @Sendable () -> Void) {
        let time = ContinuousClock.now + pause
        let (isNew, isFirst) = state.withLock { state in
            let first = state.first
            state.insert(Entry(time: time, job: job))
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
                return .run(first.job)
            }
            switch next {
            case .run(let job): job()
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
