import Foundation
import LinuxSystem

/// An operation that runs on a client's queue when a claim was granted. If the client cancels it, or releases the
/// queue, it does not run, and the claim ends all the same.
final class TurnOperation: Operation, @unchecked Sendable {
    // Sendable: all mutable state is in the lock.
    private struct Jobs {
        let turn: @Sendable () -> Void
        let otherwise: @Sendable () -> Void
    }

    // Leaf lock. The thread that takes the jobs runs one of them.
    private let jobs: Lock<Jobs?>

    init(_ turn: @escaping @Sendable () -> Void, orElse otherwise: @escaping @Sendable () -> Void) {
        jobs = Lock(Jobs(turn: turn, otherwise: otherwise))
        super.init()
    }

    deinit { takeJobs()?.otherwise() }

    override func main() { takeJobs()?.turn() }

    /// Has no effect on an accessor that is running.
    override func cancel() {
        super.cancel()
        takeJobs()?.otherwise()
    }

    private func takeJobs() -> Jobs? {
        jobs.withLock { jobs in
            defer { jobs = nil }
            return jobs
        }
    }
}
