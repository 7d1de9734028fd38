import ArbitrationTesting
import Dispatch
import FileTesting
import Foundation
import Glibc
import LinuxSystem
import TestThreads
import Testing

/// Seeded schedules of claims, presenters, moves and deaths. After every step, the test checks these rules: no writer
/// holds an item together with another claim, no earlier claim on a path is passed over, presenters are asked first and
/// not notified of their own changes, and every waiting claim is granted or denied with a reason.
@Suite(.ownThreads) struct ScheduleExplorerTests {
    #if DEBUG
        private static let schedules = 6_000
    #else
        private static let schedules = TestSample.count(6_000, of: 120_000)
    #endif

    @Test func noScheduleBreaksTheRules() async {
        await onThread { Self.explore() }
    }

    private static func explore() {
        let failures = Lock<[String]>([])
        let total = Lock<[String: Int]>([:])
        let share = 1_000
        onThreads(parts: schedules / share) { part in
            var counts: [String: Int] = [:]
            for seed in (part * share)..<((part + 1) * share) {
                var schedule = Schedule(seed: UInt64(seed))
                do {
                    try schedule.run(steps: 10 + seed % 20)
                } catch {
                    failures.withLock { $0.append("seed \(seed): \(error)") }
                    return
                }
                counts.merge(schedule.counts, uniquingKeysWith: +)
            }
            total.withLock { $0.merge(counts, uniquingKeysWith: +) }
        }
        let found = failures.withLock { $0 }
        #expect(found.isEmpty, "\(found.first ?? "")")
        // Schedules without events would prove nothing.
        let happened = total.withLock { $0 }
        for what in [
            "granted", "at once", "deadlocks", "blocked", "answered", "evicted", "moved", "moved in silence", "died",
            "taken over", "came back", "told", "favoured",
            "asked before", "asked before, after moves", "asked before, by another arbiter", "lied",
        ] {
            #expect(happened[what, default: 0] > schedules / 240, "\(what): \(happened)")
        }
    }

    /// Runs a function for every number below `parts`, on as many threads as there are processors. Does not use a
    /// dispatch queue, because tasks share its threads, so that other waiting tests could not continue meanwhile.
    private static func onThreads(parts: Int, _ body: @escaping @Sendable (_ part: Int) -> Void) {
        let next = Lock(0)
        let group = DispatchGroup()
        for _ in 0..<ProcessInfo.processInfo.activeProcessorCount {
            group.enter()
            Thread.detachNewThread {
                defer { group.leave() }
                // Lowers this thread's priority only. Failure is acceptable.
                setpriority(CInt(PRIO_PROCESS.rawValue), 0, 10)
                while true {
                    let part = next.withLock { next in
                        defer { next += 1 }
                        return next
                    }
                    if part >= parts { return }
                    body(part)
                }
            }
        }
        group.wait()
    }

    @Test func theSameSeedHasTheSameHistory() throws {
        for seed in 0..<50 as Range<UInt64> {
            var first = Schedule(seed: seed)
            var second = Schedule(seed: seed)
            try first.run(steps: 30)
            try second.run(steps: 30)
            #expect(first.history == second.history)
        }
    }
}
