import Conduit
import FileProviderWire
import Glibc
import LinuxSystem

/// One process of a provider, from its start to its end.
final class ProviderInstance: Sendable {
    private let process: ExtensionProcess
    let connection: Connection
    /// The time limit for the reply to a request that transfers no contents.
    let answerTime: Duration
    /// Whether the process may use the network.
    private let usesNetwork: Bool
    /// Whether the process serves a local directory that the user chose for the domain.
    private let isLocal: Bool
    /// Whether the provider itself observes changes at its remote service (`PurveyWatchesService`).
    let watchesService: Bool
    /// The time at which the process was started.
    let began = ContinuousClock.now
    /// The service that watches directories for the process.
    let watches: WatchService

    private struct State {
        var ending: ExtensionEnding?
        var waiting: [CheckedContinuation<ExtensionEnding, Never>] = []
        /// The number of calls in progress.
        var calls = 0
        /// The number of calls in progress whose reply is dispensable. During such a call, an end of the process does
        /// not count as a crash.
        var dispensableCalls = 0
        var hasAnswered = false
        var isAskedToEnd = false
    }

    // Leaf lock: continuations are resumed after it is released.
    private let state = Lock(State())

    init(
        _ process: ExtensionProcess, _ connection: Connection, watches: WatchService, answerTime: Duration,
        usesNetwork: Bool, isLocal: Bool, watchesService: Bool
    ) {
        (self.usesNetwork, self.isLocal, self.watchesService) = (usesNetwork, isLocal, watchesService)
        self.process = process
        self.watches = watches
        self.answerTime = answerTime
        self.connection = connection
        // The socket may be closed because the process is exiting or crashing. The exit status or signal is then a more
        // precise reason than a kill by the host. Therefore the host kills the process only after a grace period.
        connection.onClose { _ in
            Deadlines.shared.run(after: Self.grace) { process.end(.released) }
        }
    }

    /// The time that the process has to exit after its socket was closed. After that, it is killed.
    private static let grace: Duration = .seconds(2)

    var processID: pid_t { process.processID }

    /// Supervises the process until its end, on a separate thread.
    ///
    /// - Parameter ended: Called on that thread when the process has ended. The closure must call ``finish(_:)``.
    func watch(_ ended: @escaping @Sendable (ExtensionEnding) -> Void) {
        let wait: @Sendable () -> Void = {
            ended(self.process.waitForEnd { self.state.withLock { $0.calls > 0 } })
        }
        do {
            try SystemThread.start("purvey-provider", wait)
        } catch {
            HandlerThreads.shared.run(wait)
        }
    }

    /// Asks the process to exit. Its end then does not count as a crash.
    func askToEnd() {
        state.withLock { $0.isAskedToEnd = true }
        connection.close()
    }

    /// Kills the process. Its end then does not count as a crash.
    func kill() {
        state.withLock { $0.isAskedToEnd = true }
        process.end(.released)
    }

    /// Kills the process because it sent no message for the given time.
    func end(after silence: Duration) {
        process.end(.timedOut, status: Int((silence / .seconds(1)).rounded()))
    }

    /// Kills the process because its messages are invalid.
    func endForFault() { process.end(.released) }

    var isAskedToEnd: Bool { state.withLock { $0.isAskedToEnd } }
    var hasAnswered: Bool { state.withLock { $0.hasAnswered } }
    /// Whether no call is in progress.
    var isIdle: Bool { state.withLock { $0.calls == 0 } }

    func beginCall() { state.withLock { $0.calls += 1 } }

    func beginDispensableCall() { state.withLock { $0.dispensableCalls += 1 } }

    /// Records that a call with a dispensable reply has ended. If the process ends during the call, the caller first
    /// waits for ``ending()``, so that ``isExcused`` is still true when the end of the process is examined.
    func endDispensableCall() { state.withLock { $0.dispensableCalls -= 1 } }

    /// Whether a call with a dispensable reply is in progress, so that an end of the process does not count as a crash.
    var isExcused: Bool { state.withLock { $0.dispensableCalls > 0 } }

    func endCall(answered: Bool) {
        state.withLock { state in
            state.calls -= 1
            if answered { state.hasAnswered = true }
        }
    }

    /// Returns the error of a request. If a refused network connection may be the cause, adds an explanation for the
    /// extension's author.
    func explained(_ failure: ProviderError) -> ProviderError {
        guard !usesNetwork, NetworkRefusal.mayBe(failure, isLocal: isLocal) else { return failure }
        var failure = failure
        failure.message = NetworkRefusal.explained(failure.message)
        let (process, line) = (process, failure.message)
        HandlerThreads.shared.run { process.note(line) }
        return failure
    }

    /// Records how the process has ended, and resumes the callers of ``ending()``.
    func finish(_ ending: ExtensionEnding) {
        let waiting = state.withLock { state in
            state.ending = ending
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume(returning: ending) }
    }

    /// Waits until the process has ended. Returns how it has ended.
    func ending() async -> ExtensionEnding {
        await withCheckedContinuation { continuation in
            let known = state.withLock { state -> ExtensionEnding? in
                if state.ending == nil { state.waiting.append(continuation) }
                return state.ending
            }
            if let known { continuation.resume(returning: known) }
        }
    }
}

/// A timer for one call to a process. It expires if the process sends no message for too long.
final class SilenceWatch: Sendable {
    private let limit: Duration
    private let isOver: @Sendable () -> Void
    private struct State {
        var lastHeard = ContinuousClock.now
        var entry: Deadlines.Entry?
        var isStopped = false
    }
    // Lock order: `Deadlines`' own lock is taken while this one is held.
    private let state = Lock(State())

    /// Starts the timer.
    ///
    /// - Parameter isOver: Called once if the process has sent no message for the duration `limit`.
    init(_ limit: Duration, _ isOver: @escaping @Sendable () -> Void) {
        self.limit = limit
        self.isOver = isOver
        arm(after: limit)
    }

    /// Restarts the timer, because the process has sent a message.
    func hear() { state.withLock { $0.lastHeard = .now } }

    func stop() {
        let entry = state.withLock { state in
            state.isStopped = true
            return state.entry.take()
        }
        if let entry { Deadlines.shared.cancel(entry) }
    }

    private func arm(after pause: Duration) {
        state.withLock { state in
            guard !state.isStopped else { return }
            state.entry = Deadlines.shared.run(after: pause) { [weak self] in self?.look() }
        }
    }

    private func look() {
        let left = state.withLock { state -> Duration? in
            state.isStopped ? nil : limit - (.now - state.lastHeard)
        }
        guard let left else { return }
        if left <= .zero { isOver() } else { arm(after: left) }
    }
}

extension ProviderProcess {
    /// The error that an extension is not a file provider.
    struct NoProviderError: Error, CustomStringConvertible {
        let description: String
    }

    /// A process that has been started, but has not received its first message, the greeting, yet.
    struct Started: Sendable {
        let instance: ProviderInstance
        let greeting: BeginProviderCall
        /// The local directory that the process serves; `nil` if there is none.
        let handed: HandedFolder?
    }

    /// The maximum size in bytes of a file that a provider writes. The limit is so large that it has no effect on files
    /// on disk. Memory files count towards the memory limit instead.
    static let largestFile: UInt64 = 1 << 46

    /// The limits of a provider's connection. A provider's calls to the daemon, such as requests to watch directories,
    /// are small, and a provider usually waits for each reply before it makes the next call.
    static let limits: ConnectionLimits = {
        var limits = ProviderWire.limits
        (limits.callsInFlight, limits.servedBytes, limits.servedDescriptors) = (4096, 16 << 20, 1024)
        (limits.queuedDescriptors, limits.unclosedDescriptors) = (1024, 256)
        return limits
    }()
}

extension ProviderError {
    /// Converts the error of a call over the connection to the error of the provider's request.
    init(_ error: ConduitError) {
        let kind: Kind =
            switch error {
            case .cancelled: .cancelled
            case .system(.noSpace), .system(.quotaExceeded): .noSpace
            case .system, .tooManyCalls, .descriptorsLost: .transient
            case .disconnected: .processEnded
            case .remote, .malformed, .oversized, .tooManyDescriptors, .refused: .badAnswer
            }
        self.init(kind, message: "\(error)")
    }
}
