import Dispatch
import Glibc
import LinuxSystem
import Synchronization

/// What ends a command early: an interrupt, a request to end, a terminal that goes away.
///
/// From when ``init()`` returns until ``end()`` these signals do not end the process, so that the command can do it in good order.
/// Those that the process was started to ignore, as by `nohup` or in the background of a script, stay ignored.
final class Interruption: Sendable {
    private struct State {
        var hasHappened = false
        var action: (@Sendable () -> Void)?
        var sources: [any DispatchSourceSignal] = []
    }

    private static let numbers = [SIGINT, SIGTERM, SIGHUP]
    private let watched = Interruption.numbers.filter { !SignalDisposition.isIgnored($0) }
    // Innermost: the action runs after it is released.
    private let state = Mutex(State())

    /// Returns once the signals are watched. Until then they end the process as before: one that were ignored meanwhile would
    /// be lost.
    init() async {
        for number in watched {
            await withCheckedContinuation { continuation in watch(number) { continuation.resume() } }
        }
    }

    private func watch(_ number: CInt, _ isWatched: @escaping @Sendable () -> Void) {
        state.withLock { state in
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler { [weak self] in self?.happen() }
            source.setRegistrationHandler(handler: isWatched)
            source.activate()
            state.sources.append(source)
        }
    }

    var hasHappened: Bool { state.withLock { $0.hasHappened } }

    /// Sets what is done when it happens; at once when it has. Called on an arbitrary thread.
    func setAction(_ action: @escaping @Sendable () -> Void) {
        let hasHappened = state.withLock { state in
            state.action = action
            return state.hasHappened
        }
        if hasHappened { action() }
    }

    private func happen() {
        let action = state.withLock { state in
            state.hasHappened = true
            return state.action
        }
        action?()
    }

    /// Lets the signals end the process again.
    func end() {
        state.withLock { state in
            state.action = nil
            for source in state.sources { source.cancel() }
            state.sources = []
        }
        for number in watched { signal(number, SIG_DFL) }
    }
}
