import Dispatch
import FileCoordination
import LinuxSystem
import TestThreads
import Testing

/// The time limit of presenters' answers.
@Suite(.timeLimit(.minutes(10)), .ownThreads) struct PresenterTimeLimitTests {
    /// More jobs than dispatch queues have threads.
    private static let jobs = 600

    @Test func theTimeLimitHoldsWhileAllThreadsOfDispatchQueuesAreBlocked() {
        let mayEnd = DispatchSemaphore(value: 0)
        let hasStarted = DispatchSemaphore(value: 0)
        for _ in 0..<Self.jobs {
            DispatchQueue.global().async {
                hasStarted.signal()
                mayEnd.wait()
            }
        }
        defer { for _ in 0..<Self.jobs { mayEnd.signal() } }
        hasStarted.wait()
        let granted = DispatchSemaphore(value: 0)
        let host = ArbiterHost { _, effects in
            for case .granted(claim: 2, _, _, _) in effects { granted.signal() }
        }
        let path = ExactPath("/a")
        host.apply(.present(PresenterPlace(number: 1, path: path, key: path)), from: 1)
        let access = Access(path: path, key: path, traits: .writes)
        host.apply(
            .claim(ClaimRequest(number: 2, accesses: [access], purpose: "p", presenterTimeLimit: 20)), from: 2)
        #expect(granted.wait(timeout: .now() + .seconds(120)) == .success)
    }

    @Test(arguments: [0, -1, Int.min]) func noTimeAtAllIsNotForEver(milliseconds: Int) {
        let granted = DispatchSemaphore(value: 0)
        let host = ArbiterHost { _, effects in
            for case .granted(claim: 2, _, _, _) in effects { granted.signal() }
        }
        host.apply(.present(PresenterPlace(number: 1, path: "/a", key: "/a")), from: 1)
        let access = Access(path: "/a", key: "/a", traits: .writes)
        let request = ClaimRequest(number: 2, accesses: [access], purpose: "p", presenterTimeLimit: milliseconds)
        host.apply(.claim(request), from: 2)
        #expect(granted.wait(timeout: .now() + .seconds(120)) == .success)
        #expect(
            ClaimRequest(number: 2, accesses: [], purpose: "p", presenterTimeLimit: .max).presenterTimeLimit
                == 86_400_000)
    }

    @Test func anAnsweredCallLeavesNoTimeLimit() {
        let preparations = Lock<[UInt64]>([])
        let host = ArbiterHost { _, effects in
            for case .prepare(let preparation) in effects { preparations.withLock { $0.append(preparation.number) } }
        }
        host.apply(.present(PresenterPlace(number: 1, path: "/a", key: "/a")), from: 1)
        let access = Access(path: "/a", key: "/a", traits: .writes)
        for number in 0..<5_000 as Range<UInt64> {
            let request = ClaimRequest(
                number: number, accesses: [access], purpose: "p", presenterTimeLimit: 86_400_000)
            host.apply(.claim(request), from: 2)
            if number % 2 == 0 {
                for preparation in preparations.withLock({ $0.suffix(1) }) {
                    host.apply(.answer(preparation: preparation, failure: nil), from: 1)
                }
            }
            host.apply(.cancel(claim: number), from: 2)
        }
        #expect(preparations.withLock { $0.count } == 5_000)
        #expect(Deadlines.shared.count < 2_500)
    }
}
