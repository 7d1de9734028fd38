import Dispatch
import Glibc
import LinuxSystem
import Synchronization

/// The signals that end a command early: an interrupt, a termination request, or a hang-up of the terminal.
///
/// Between the return of ``init()`` and ``end()``, these signals do not end the process, so that the command can
/// clean up. Signals that were ignored when the process started, as by `nohup` or in the background of a script, stay
/// ignored.
final class Interruption: Sendable {
    private struct State {
        var hasHappened = false
        var action: (@Sendable () -> Void)?
        var sources: [any DispatchSourceSignal] = []
    }

    private static let numbers = [SIGINT, SIGTERM, SIGHUP]
    private let watched = Interruption.numbers.filter { !SignalDisposition.isIgnored($0) }
    // Leaf lock: the action runs after it is released.
    private let state = Mutex(State())

    /// Starts watching the signals, and returns when they are watched. Until then, a signal still ends the process. The
    /// signals are not ignored meanwhile, because a signal could then be lost.
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

    /// Sets the action that runs when a signal arrives, on any thread. If a signal has arrived already, runs the action
    /// at once.
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

    /// Restores the default action of the signals, which is to end the process.
    func end() {
        state.withLock { state in
            state.action = nil
            for source in state.sources { source.cancel() }
            state.sources = []
        }
        for number in watched { signal(number, SIG_DFL) }
    }
}
