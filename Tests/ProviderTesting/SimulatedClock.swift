import FileProviderEngine
import LinuxSystem

/// A clock that advances only when a test requires it.
package final class SimulatedClock: EngineClock {
    private struct Job {
        let time: Double
        let order: Int
        let body: @Sendable () -> Void
    }

    private struct State {
        var now: Double
        var order = 0
        var jobs: [Int: Job] = [:]

        var next: Job? { jobs.values.min { ($0.time, $0.order) < ($1.time, $1.order) } }
    }

    // Leaf lock: jobs run after it is released.
    private let state: Lock<State>

    package init(now: Double = 1_700_000_000) { state = Lock(State(now: now)) }

    package var now: Double { state.withLock { $0.now } }

    /// The number of scheduled jobs.
    package var waitingCount: Int { state.withLock { $0.jobs.count } }

    /// The number of seconds until the next job is due; `nil` if no job is scheduled.
    package var secondsToNext: Double? { state.withLock { state in state.next.map { max(0, $0.time - state.now) } } }

    @discardableResult
    package func run(after seconds: Double, _ job: @escaping @Sendable () -> Void) -> Cancellable {
        let order = state.withLock { state in
            state.order += 1
            state.jobs[state.order] = Job(time: state.now + max(0, seconds), order: state.order, body: job)
            return state.order
        }
        return Cancellable { [self] in
            let job = state.withLock { $0.jobs.removeValue(forKey: order) }
            // Objects that the job retains are released after the lock.
            _ = job
        }
    }

    /// Advances the clock, and runs the jobs that become due on the calling thread, in the order of their times.
    package func advance(by seconds: Double) {
        let end = now + seconds
        while true {
            let job = state.withLock { state -> Job? in
                guard let next = state.next, next.time <= end else {
                    state.now = max(state.now, end)
                    return nil
                }
                state.now = max(state.now, next.time)
                return state.jobs.removeValue(forKey: next.order)
            }
            guard let job else { return }
            job.body()
        }
    }
}
