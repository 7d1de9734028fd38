import FileProviderEngine
import LinuxSystem

/// The waits of one request, one of which may begin while another ends. All are given up together.
final class Waits: Sendable {
    // Innermost: waits are given up after it is released.
    private let state = Lock<(waits: [Waiting], isCancelled: Bool)>(([], false))

    func add(_ waiting: Waiting) {
        let isCancelled = state.withLock { state in
            state.waits.append(waiting)
            return state.isCancelled
        }
        if isCancelled { waiting.cancel() }
    }

    func cancel() {
        let waits = state.withLock { state in
            state.isCancelled = true
            return state.waits
        }
        for waiting in waits { waiting.cancel() }
    }
}
