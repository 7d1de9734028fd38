import Foundation
import LinuxSystem

/// What runs on a client's queue when it is the turn of a claim. The queue's owner may cancel it, or let go of the queue: then
/// nothing runs there, and what was claimed is given free all the same.
final class TurnOperation: Operation, @unchecked Sendable {
    // Sendable: what changes is in the lock.
    private struct Jobs {
        let turn: @Sendable () -> Void
        let otherwise: @Sendable () -> Void
    }

    // Innermost. Whoever takes them runs one of them.
    private let jobs: Lock<Jobs?>

    init(_ turn: @escaping @Sendable () -> Void, orElse otherwise: @escaping @Sendable () -> Void) {
        jobs = Lock(Jobs(turn: turn, otherwise: otherwise))
        super.init()
    }

    deinit { takeJobs()?.otherwise() }

    override func main() { takeJobs()?.turn() }

    /// Does nothing to an accessor that runs already.
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
