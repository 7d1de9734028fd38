import Dispatch
import LinuxSystem
import TestThreads
import Testing

/// Jobs that run after a delay.
@Suite(.timeLimit(.minutes(10)), .ownThreads) struct DeadlinesTests {
    private final class Held: Sendable {}

    @Test func cancelledDeadlinesAreNeitherRunNorKept() {
        let deadlines = Deadlines()
        let count = 10_000
        weak var held: Held?
        do {
            let object = Held()
            held = object
            for _ in 0..<count {
                let entry = deadlines.run(after: .seconds(86_400)) { withExtendedLifetime(object) {} }
                deadlines.cancel(entry)
                deadlines.cancel(entry)
            }
        }
        #expect(held == nil)
        #expect(deadlines.count < 1_000)
        // The thread ends with its last job.
        let hasRun = DispatchSemaphore(value: 0)
        deadlines.run(after: .milliseconds(1)) { hasRun.signal() }
        #expect(hasRun.wait(timeout: .now() + .seconds(300)) == .success)
    }

    /// A job, and the earliest and latest time at which it was due.
    private struct Known {
        let place: Int
        let earliest: ContinuousClock.Instant
        let latest: ContinuousClock.Instant
    }

    @Test func jobsRunInTheOrderOfTheirTimesWhateverIsCancelledBetweenThem() {
        let deadlines = Deadlines()
        let order = Lock<[Int]>([])
        let hasRun = DispatchSemaphore(value: 0)
        // In no particular order, so that each job must be sorted in.
        let entries = (0..<500).map { number in
            let place = number * 211 % 500
            let pause = Duration.milliseconds(2_000 + place)
            let before = ContinuousClock.now
            let entry = deadlines.run(after: pause) {
                order.withLock { $0.append(place) }
                hasRun.signal()
            }
            return (Known(place: place, earliest: before + pause, latest: .now + pause), entry)
        }
        var cancelled: Set<Int> = []
        for (job, entry) in entries where job.place % 5 != 0 {
            deadlines.cancel(entry)
            // Unless this thread was delayed until the job had run.
            if ContinuousClock.now < job.earliest { cancelled.insert(job.place) }
        }
        for _ in 0..<500 - cancelled.count { #expect(hasRun.wait(timeout: .now() + .seconds(300)) == .success) }
        let ran = order.withLock { $0 }
        #expect(cancelled.isDisjoint(with: ran) && Set(ran).count == 500 - cancelled.count)
        // This thread may also have been delayed between two jobs.
        let jobs = Dictionary(uniqueKeysWithValues: entries.map { ($0.0.place, $0.0) })
        let known = ran.compactMap { jobs[$0] }
        for (number, job) in known.enumerated() {
            #expect(known[..<number].allSatisfy { $0.earliest <= job.latest }, "\(job.place) in \(ran)")
        }
    }
}
