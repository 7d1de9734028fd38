import LinuxSystem
import Synchronization

/// A completion that passes only the first reply to the program's handler, on a thread that it may block. A backend
/// that replies twice does not call the handler twice.
final class OneShotHandler: Sendable {
    private let isTaken = Atomic(false)

    func run(_ handler: @escaping @Sendable () -> Void) {
        if !isTaken.exchange(true, ordering: .relaxed) { HandlerThreads.shared.run(handler) }
    }
}
