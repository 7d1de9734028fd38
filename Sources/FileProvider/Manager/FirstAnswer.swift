import LinuxSystem
import Synchronization

/// Lets the first answer to a question through to the program, on a thread that it may block. A backend that answers twice does
/// not become a handler that is called twice.
final class FirstAnswer: Sendable {
    private let isTaken = Atomic(false)

    func run(_ handler: @escaping @Sendable () -> Void) {
        if !isTaken.exchange(true, ordering: .relaxed) { HandlerThreads.shared.run(handler) }
    }
}
