import LinuxSystem
import Synchronization

/// An object that runs a program's completion handler only once, even if a backend replies twice. The handler runs on a
/// thread that may block.
final class OneShotHandler: Sendable {
    private let isTaken = Atomic(false)

    func run(_ handler: @escaping @Sendable () -> Void) {
        if !isTaken.exchange(true, ordering: .relaxed) { HandlerThreads.shared.run(handler) }
    }
}
