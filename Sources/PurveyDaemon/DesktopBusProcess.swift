import Conduit
import DomainMessages
import Exchange
import Glibc
import LinuxSystem
import Secrets

/// The process `purvey-bus`, which shows the domains on D-Bus, uses the desktop's keyring, and reads the desktop's
/// settings. It runs while domains exist, and after the first use of the keyring. If it ends unexpectedly, it is
/// restarted with a backoff, which is reset once a process has run for ``longLife``.
///
/// It is a separate process because it uses GLib for D-Bus. GLib's event loop and locks thus stay out of the daemon. It
/// makes the same calls as any other client. The daemon waits for it only in threads that use the keyring.
final class DesktopBusProcess: Sendable {
    private let program: String
    private let log: DaemonLog

    /// A reason why the process runs.
    enum Purpose {
        case domains
        case keyring
    }

    private struct State {
        var purposes: Set<Purpose> = []
        var isWanted: Bool { !purposes.isEmpty }
        var hasEnded = false
        /// Whether a process is being started, or a start is scheduled.
        var isStarting = false
        var instance: Instance?
        var service = Service()
        /// The number of consecutive processes that ended soon after their start.
        var failures = 0
        /// Whether the bus could not be reached at the last attempt.
        var lacksBus = false
        /// A closure that is called when a process has been started.
        var onStart: @Sendable () -> Void = {}
        /// A closure that is called after the loss of the bus. Settings that were read from the bus, such as a metered
        /// network, must then no longer pause domains.
        var onLoss: @Sendable () -> Void = {}
    }

    private struct Instance {
        let connection: Connection
        let process: ProcessDescriptor
        let start: ContinuousClock.Instant

        func end() {
            connection.close()
            // The process has no state to save. It may have ended by itself.
            try? process.send(signal: SIGKILL)
        }
    }

    // Leaf lock: processes are started and ended after its release.
    private let state = Lock(State())

    /// If a process ran at least this long, the pause before the next start is reset.
    private static let longLife: Duration = .seconds(60)
    /// The timeout for the start of the process when the keyring is used.
    private static let startTime: Duration = .seconds(5)
    private static let firstPause: Duration = .milliseconds(250)
    private static let longestPause: Duration = .seconds(60)
    /// The exit status of the process if it cannot reach the bus, or the bus has ended.
    private static let statusWithoutBus: CInt = 3

    /// Creates the object without starting the process.
    ///
    /// - Returns: `nil` if the bus is disabled, or if the program is not installed in the directory of this program.
    init?(log: DaemonLog) {
        guard let own = try? FileDescriptor.open("/proc/self/exe", .pathOnly).path,
            let slash = own.lastIndex(of: "/"), !SessionBus.isUnwanted
        else { return nil }
        program = own[..<slash] + "/purvey-bus"
        guard access(program, X_OK) == 0 else { return nil }
        self.log = log
    }

    /// Registers the calls and notices that the process may send. The only calls are those about domains.
    func serve(_ domains: DomainService) {
        var service = Service()
        domains.addCalls(to: &service)
        service.on(KeyringChangedNotice.self) { _, _ in Task { await domains.keyringChanged() } }
        service.on(DesktopSettingsNotice.self) { settings, _ in domains.adopt(settings) }
        state.withLock { [service] state in
            state.service = service
            // Providers may have waited for the keyring because `purvey-bus` did not run.
            state.onStart = { Task { await domains.keyringChanged() } }
            state.onLoss = { domains.adopt(nil) }
        }
    }

    /// Sets whether the process is needed for a purpose. It is started or ended in the background.
    func want(_ isWanted: Bool, for purpose: Purpose) {
        let isChanged = state.withLock { state in
            let before = state.isWanted
            if isWanted { state.purposes.insert(purpose) } else { state.purposes.remove(purpose) }
            return state.isWanted != before
        }
        if isChanged { settle(after: .zero) }
    }

    /// Starts the process if it does not run, waits for it, and returns the connection to it. Returns `nil` if there is
    /// no bus. Blocks for some seconds at most.
    func connectionForKeyring() -> Connection? {
        want(true, for: .keyring)
        let deadline = ContinuousClock.now + Self.startTime
        repeat {
            let (instance, isHopeless) = state.withLock { ($0.instance, $0.hasEnded || $0.lacksBus) }
            if let instance { return instance.connection }
            if isHopeless { return nil }
            usleep(10_000)
        } while .now < deadline
        return nil
    }

    /// Ends the process together with the daemon.
    func end() {
        let instance = state.withLock { state in
            state.hasEnded = true
            return state.instance.take()
        }
        instance?.end()
    }

    /// Starts the process after the given pause if it is wanted and does not run. Ends the process if it is not wanted.
    private func settle(after pause: Duration) {
        let (starts, ended) = state.withLock { state -> (Bool, Instance?) in
            guard state.isWanted, !state.hasEnded else { return (false, state.instance.take()) }
            guard state.instance == nil, !state.isStarting else { return (false, nil) }
            state.isStarting = true
            return (true, nil)
        }
        ended?.end()
        guard starts else { return }
        if pause == .zero { return HandlerThreads.shared.run { self.start() } }
        Deadlines.shared.run(after: pause) { HandlerThreads.shared.run { self.start() } }
    }

    /// Starts the process and waits for its end. Must run on a thread that may block.
    private func start() {
        let service = state.withLock { state -> Service? in
            guard state.isWanted, !state.hasEnded else {
                state.isStarting = false
                return nil
            }
            return state.service
        }
        guard let service else { return }
        guard let address = SessionBus.address else {
            noteLoss(true)
            return ended(after: .zero)
        }
        let child: ChildProgram
        let instance: Instance
        do {
            (child, instance) = try begin(address, service)
        } catch {
            log.warning("\(program) cannot be started: \(error); desktops do not see the states of files")
            return ended(after: .zero)
        }
        let onStart = state.withLock { state -> (@Sendable () -> Void)? in
            state.isStarting = false
            guard state.isWanted, !state.hasEnded else { return nil }
            state.instance = instance
            return state.onStart
        }
        if let onStart { onStart() } else { instance.end() }
        // A process that does not read, or sends malformed messages, is killed.
        instance.connection.onClose { _ in try? instance.process.send(signal: SIGKILL) }
        let ending = (try? child.wait()) ?? .unknown
        instance.connection.close()
        let failures = state.withLock { state -> Int? in
            guard state.instance?.connection === instance.connection else { return nil }
            state.instance = nil
            state.isStarting = true
            return state.failures
        }
        guard let failures else { return }
        noteLoss(ending == .exited(Self.statusWithoutBus))
        if ending == .exited(Self.statusWithoutBus) {
            // The message is logged once, and not at every retry.
            if failures == 0 { log.info("the desktop's bus at \(address) cannot be reached, or has ended") }
        } else {
            log.warning("\(program) ended (\(ending)), and is started again")
        }
        ended(after: .now - instance.start)
    }

    /// Records whether the bus can be reached, and reports the loss of the bus.
    private func noteLoss(_ isLost: Bool) {
        let onLoss = state.withLock { state -> (@Sendable () -> Void)? in
            defer { state.lacksBus = isLost }
            return isLost && !state.lacksBus ? state.onLoss : nil
        }
        onLoss?()
    }

    private func begin(_ address: String, _ service: Service) throws -> (ChildProgram, Instance) {
        let (ours, theirs) = try SequencedPacketSocket.pair()
        let child = try ChildProgram.start(
            program, arguments: [address], descriptors: [nil, nil, .copy(of: STDERR_FILENO), theirs.descriptor],
            workingFolder: "/", newSession: true)
        // The process is not reaped yet, so its ID still denotes it.
        let process = try ProcessDescriptor.open(child.processID)
        do {
            let connection = try Connection(ours, service: service, limits: ConnectionLimits(unreadBytes: 1 << 20))
            return (child, Instance(connection: connection, process: process, start: .now))
        } catch {
            try? process.send(signal: SIGKILL)
            _ = try? child.wait()
            throw error
        }
    }

    /// Schedules a restart after the process ended or could not be started.
    private func ended(after life: Duration) {
        let pause = state.withLock { state in
            state.isStarting = false
            state.failures = life >= Self.longLife ? 0 : min(state.failures + 1, 16)
            return min(Self.longestPause, Self.firstPause * (1 << max(0, state.failures - 1)))
        }
        settle(after: pause)
    }
}

/// The message bus of the user's session.
enum SessionBus {
    /// Whether the environment disables the use of the bus.
    static var isUnwanted: Bool { variable("PURVEY_BUS") == "none" }

    /// The bus address in D-Bus syntax; `nil` if there is no bus at present.
    static var address: String? {
        if let address = variable("DBUS_SESSION_BUS_ADDRESS"), !address.isEmpty { return address }
        // The default location that systemd and other session managers use.
        guard let folder = variable("XDG_RUNTIME_DIR"), folder.hasPrefix("/") else { return nil }
        let path = folder + "/bus"
        return access(path, R_OK | W_OK) == 0 ? "unix:path=" + escaped(path) : nil
    }

    private static func variable(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }

    /// Escapes a value in an address: bytes other than letters, digits and some punctuation are written as hexadecimal
    /// numbers.
    private static func escaped(_ value: String) -> String {
        let plain = Set("-_/.*ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789".utf8)
        let digits = Array("0123456789abcdef")
        return value.utf8.reduce(into: "") { text, byte in
            if plain.contains(byte) {
                text.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                text += "%\(digits[Int(byte >> 4)])\(digits[Int(byte & 15)])"
            }
        }
    }
}
