import Dispatch
import LinuxSystem
import Testing

/// Jobs that are run after a while.
@Suite(.timeLimit(.minutes(10))) struct DeadlinesTests {
    private final class Held: Sendable {}

    @Test func whatIsCancelledIsNeitherRunNorKept() {
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
        // Its thread ends with the last one.
        let hasRun = DispatchSemaphore(value: 0)
        deadlines.run(after: .milliseconds(1)) { hasRun.signal() }
        #expect(hasRun.wait(timeout: .now() + .seconds(300)) == .success)
    }

    @Test func jobsRunInTheOrderOfTheirTimesWhateverIsCancelledBetweenThem() {
        let deadlines = Deadlines()
        let order = Lock<[Int]>([])
        let hasRun = DispatchSemaphore(value: 0)
        // In no order, so that each one has to find its place.
        let entries = (0..<500).map { number in
            let place = number * 211 % 500
            return (
                place,
                deadlines.run(after: .milliseconds(2_000 + place)) {
                    order.withLock { $0.append(place) }
                    hasRun.signal()
                }
            )
        }
        for (place, entry) in entries where place % 5 != 0 { deadlines.cancel(entry) }
        for _ in 0..<100 { #expect(hasRun.wait(timeout: .now() + .seconds(300)) == .success) }
        #expect(order.withLock { $0 } == Array(stride(from: 0, to: 500, by: 5)))
    }
}
