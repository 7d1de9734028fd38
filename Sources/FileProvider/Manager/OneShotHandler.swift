import LinuxSystem
import Synchronization

/// A completion handler that passes only the first reply to the program's handler, even if a backend replies twice. It
/// calls that handler on a thread that may block.
final class OneShotHandler: Sendable {
    private let isTaken = Atomic(false)

    func run(_ handler: @escaping @Sendable () -> Void) {
        if !isTaken.exchange(true, ordering: .relaxed) { HandlerThreads.shared.run(handler) }
    }
}
