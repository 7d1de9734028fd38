import Conduit
import FileProvider
import Glibc
import LinuxSystem

/// One process of a provider, from its start to its end.
final class ProviderInstance: Sendable {
    private let process: ExtensionProcess
    let connection: Connection
    /// How long it may take for a question.
    let answerTime: Duration
    /// Whether it may make connections.
    private let usesNetwork: Bool
    /// Whether it serves a folder that it was handed.
    private let isLocal: Bool
    /// The folders that it has had watched.
    let watches: WatchService

    private struct State {
        var ending: ExtensionEnding?
        var waiting: [CheckedContinuation<ExtensionEnding, Never>] = []
        /// Calls that wait for their answers.
        var calls = 0
        /// Those of them that can be done without.
        var dispensableCalls = 0
        var hasAnswered = false
        var isAskedToEnd = false
    }

    // Innermost: whoever waits goes on after it is released.
    private let state = Lock(State())

    init(
        _ process: ExtensionProcess, _ connection: Connection, watches: WatchService, answerTime: Duration,
        usesNetwork: Bool, isLocal: Bool
    ) {
        (self.usesNetwork, self.isLocal) = (usesNetwork, isLocal)
        self.process = process
        self.watches = watches
        self.answerTime = answerTime
        self.connection = connection
        // Its end closes the socket too, and has reasons of its own to tell.
        connection.onClose { _ in
            Deadlines.shared.run(after: Self.grace) { process.end(.released) }
        }
    }

    /// How long a process may take to end by itself once its socket is closed.
    private static let grace: Duration = .seconds(2)

    var processID: pid_t { process.processID }

    /// Watches over the process until its end, on a thread of its own.
    ///
    /// - Parameter ended: called on that thread; ``finish(_:)`` is up to it.
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

    /// Asks the process to end, which is no fault of its own then.
    func askToEnd() {
        state.withLock { $0.isAskedToEnd = true }
        connection.close()
    }

    /// Ends the process: it is silent for too long.
    func end(after silence: Duration) {
        process.end(.timedOut, status: Int((silence / .seconds(1)).rounded()))
    }

    /// Ends the process: what it says cannot be worked with.
    func endForFault() { process.end(.released) }

    var isAskedToEnd: Bool { state.withLock { $0.isAskedToEnd } }
    var hasAnswered: Bool { state.withLock { $0.hasAnswered } }
    /// Whether no call waits for its answer.
    var isIdle: Bool { state.withLock { $0.calls == 0 } }

    func beginCall() { state.withLock { $0.calls += 1 } }

    func beginDispensableCall() { state.withLock { $0.dispensableCalls += 1 } }

    /// Comes after ``ending()`` where the process has ended over it.
    func endDispensableCall() { state.withLock { $0.dispensableCalls -= 1 } }

    /// Whether the process has ended while it was asked something that can be done without.
    var isExcused: Bool { state.withLock { $0.dispensableCalls > 0 } }

    func endCall(answered: Bool) {
        state.withLock { state in
            state.calls -= 1
            if answered { state.hasAnswered = true }
        }
    }

    /// A failure with what its author has to know where the network was refused.
    func explained(_ failure: ProviderFailure) -> ProviderFailure {
        guard !usesNetwork, NetworkRefusal.mayBe(failure, isLocal: isLocal) else { return failure }
        var failure = failure
        failure.message = NetworkRefusal.explained(failure.message)
        let (process, line) = (process, failure.message)
        HandlerThreads.shared.run { process.note(line) }
        return failure
    }

    /// Tells those who wait how the process ended.
    func finish(_ ending: ExtensionEnding) {
        let waiting = state.withLock { state in
            state.ending = ending
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume(returning: ending) }
    }

    /// Waits for the process's end.
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

/// Ends a process that says nothing for too long while a call waits for it.
final class SilenceWatch: Sendable {
    private let limit: Duration
    private let isOver: @Sendable () -> Void
    private struct State {
        var lastHeard = ContinuousClock.now
        var entry: Deadlines.Entry?
        var isStopped = false
    }
    // Lock order: `Deadlines`' own lock is taken inside of this one.
    private let state = Lock(State())

    /// - Parameter isOver: called once when nothing was heard for as long as the limit.
    init(_ limit: Duration, _ isOver: @escaping @Sendable () -> Void) {
        self.limit = limit
        self.isOver = isOver
        arm(after: limit)
    }

    /// Something was heard: the time begins anew.
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
