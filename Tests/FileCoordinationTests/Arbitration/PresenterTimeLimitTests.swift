import Dispatch
import FileCoordination
import LinuxSystem
import Testing

/// How long presenters are waited for.
@Suite(.timeLimit(.minutes(10))) struct PresenterTimeLimitTests {
    /// More jobs than there are threads of dispatch queues.
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
}
