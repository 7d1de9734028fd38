import Exchange
import Glibc
import LinuxSystem
import MountTakeover
import Synchronization

/// The keeper process (`purvey-keeper`). It restarts a daemon that died while it had domains, and holds the descriptors
/// of their mounts meanwhile. Without the keeper, programs that use the mounts would get errors until the next command
/// starts a daemon.
///
/// If the previous daemon has died, the next daemon connects to the dead daemon's keeper, and takes over the mounts and
/// the keeper. Otherwise a daemon starts a keeper when the first domain exists. If a keeper dies, the daemon starts
/// another one and passes all mounts to it.
final class DaemonKeeper: MountKeeper {
    private let program: String
    private let kept: KeptProgram
    private let log: DaemonLog

    private struct State {
        var hasEnded = false
        /// The connection to the keeper. After ``KeeperMessage/farewell``, the keeper ends when the connection closes.
        var line: SequencedPacketSocket?
        /// The mounts that were passed to the keeper, or will be passed when it starts.
        var mounts: [String: KeptMount] = [:]
        /// The number of consecutive keepers that died soon after their start.
        var deaths = 0
    }

    // This lock is held while a keeper is started or a message is sent, so that only one keeper is started and no
    // unused keeper keeps running. Sending blocks for seconds if the keeper does not read.
    private let state = Lock(State())
    /// Whether a keeper is needed. The flag is separate from the state, because its writers must not wait for the lock.
    private let isWanted = Atomic<Bool>(false)

    /// The maximum duration of the wait for the previous daemon's keeper to pass the mounts.
    private static let patience = Duration.seconds(20)
    private static let deathLimit = 10

    /// Creates the object without a keeper process. ``introduce()`` connects to the keeper of a dead daemon, and
    /// ``want(_:)`` starts a new keeper.
    ///
    /// - Parameter deaths: The number of consecutive earlier daemons that died soon after their start.
    /// - Returns: `nil` if the keeper program is not installed in the directory of this program.
    init?(_ options: DaemonOptions, deaths: Int, locations: Locations, log: DaemonLog) {
        guard let own = try? FileDescriptor.open("/proc/self/exe", .pathOnly).path,
            let slash = own.lastIndex(of: "/")
        else { return nil }
        program = own[..<slash] + "/purvey-keeper"
        guard access(program, X_OK) == 0 else { return nil }
        kept = KeptProgram(
            path: own, arguments: ["--socket", locations.socket, "--log", "\(options.level)"],
            folder: locations.domains, socket: locations.runtime + "/keeper", deaths: deaths)
        self.log = log
    }

    // MARK: The keeper of the previous daemon

    /// Connects to the keeper of a dead daemon, if there is one, and announces this daemon. Must be called before this
    /// daemon reports that it is ready. Does not wait for a reply.
    func introduce() {
        guard let address = try? LocalSocketAddress(path: kept.socket),
            let line = try? SequencedPacketSocket.connect(to: address), isOfThisUser(line),
            (try? KeeperMessage.introduction(kept).send(over: line)) != nil
        else { return }
        state.withLock { state in if !state.hasEnded { state.line = line } }
    }

    /// Whether this user owns the process at the other end of a connection. Nothing is sent to another user's process.
    private func isOfThisUser(_ line: SequencedPacketSocket) -> Bool {
        (try? line.peerCredentials().userID) == getuid()
    }

    /// Takes over the mounts and the keeper of a dead daemon. Blocks until the keeper has passed the mounts. Called
    /// after this process has locked the domains' directory, and before ``want(_:)``.
    func claimMounts() -> [KeptMount] {
        guard let line = state.withLock({ $0.line }) else { return [] }
        let end = ContinuousClock.now + Self.patience
        var mounts: [KeptMount] = []
        guard (try? KeeperMessage.claim.send(over: line)) != nil else { return lose(line) }
        while true {
            switch KeeperMessage.next(from: line, until: end) {
            case .message(.mount(let mount)): mounts.append(mount)
            case .message(.end):
                let claimed = mounts
                state.withLock { state in
                    for mount in claimed { state.mounts[mount.identifier] = mount }
                }
                HandlerThreads.shared.run { self.watch(line, since: .now) }
                return mounts
            default:
                log.warning("the keeper of the last daemon does not hand over its mounts")
                return lose(line)
            }
        }
    }

    /// Leaves the mounts of the previous daemon with that daemon's keeper, because this daemon does not serve the
    /// domains. Another daemon may claim the mounts.
    func withdraw() {
        guard let line = state.withLock({ $0.hasEnded ? nil : $0.line }) else { return }
        _ = lose(line)
    }

    private func lose(_ line: SequencedPacketSocket) -> [KeptMount] {
        state.withLock { state in
            if state.line?.descriptor === line.descriptor { state.line = nil }
        }
        line.shutDown()
        return []
    }

    // MARK: Mounts

    /// Passes a mount to the keeper. If no keeper runs, the mount is passed when a keeper starts.
    func hold(_ mount: KeptMount) {
        state.withLock { state in
            state.mounts[mount.identifier] = mount
            tell(.hold(mount), &state)
        }
    }

    /// Notifies the keeper that a mount has ended.
    func drop(_ identifier: String) {
        state.withLock { state in
            guard state.mounts.removeValue(forKey: identifier) != nil else { return }
            tell(.drop(identifier: identifier), &state)
        }
    }

    private func tell(_ message: KeeperMessage, _ state: inout State) {
        guard let line = state.line else { return }
        do throws(Errno) {
            try message.send(over: line)
        } catch {
            // A keeper that does not read counts as dead. The thread that watches the connection starts the next
            // keeper.
            line.shutDown()
        }
    }

    // MARK: Beginning and end

    /// Sets whether a keeper is needed. The keeper is started or ended in the background.
    func want(_ isWanted: Bool) {
        let wasWanted = self.isWanted.exchange(isWanted, ordering: .sequentiallyConsistent)
        // Even if this daemon needed no keeper before, the keeper of the previous daemon may still run.
        if wasWanted != isWanted || !isWanted { HandlerThreads.shared.run { self.settle() } }
    }

    /// Ends the keeper together with the daemon, so that the daemon is not restarted. The keeper unmounts the remaining
    /// mounts after the daemon has ended.
    func end() {
        state.withLock { state in
            state.hasEnded = true
            // The keeper ends when the connection closes, which is when this process ends. The domains are unmounted
            // before.
            if let line = state.line { try? KeeperMessage.farewell.send(over: line) }
        }
    }

    private func settle() {
        state.withLock { state in
            guard !state.hasEnded else { return }
            guard isWanted.load(ordering: .sequentiallyConsistent) else { return Self.dismiss(&state) }
            guard state.line == nil else { return }
            do {
                let line = try start()
                state.line = line
                for mount in state.mounts.values { tell(.hold(mount), &state) }
                HandlerThreads.shared.run { self.watch(line, since: .now) }
            } catch {
                log.warning("\(program) cannot be started: \(error); a daemon that dies is not started again by itself")
            }
        }
    }

    private func start() throws(Errno) -> SequencedPacketSocket {
        let (ours, theirs) = try SequencedPacketSocket.pair()
        try KeeperMessage.introduction(kept).send(over: ours)
        let child = try ChildProgram.start(
            program, arguments: [], descriptors: [nil, nil, .copy(of: STDERR_FILENO), theirs.descriptor],
            workingFolder: "/", newSession: true)
        // Reaps the process. No other thread waits for it.
        HandlerThreads.shared.run { _ = try? child.wait() }
        return ours
    }

    /// Waits for the end of the keeper. Starts another keeper, unless this daemon dismissed the keeper.
    private func watch(_ line: SequencedPacketSocket, since start: ContinuousClock.Instant) {
        var waited = pollfd(fd: line.descriptor.rawValue, events: CShort(POLLIN), revents: 0)
        // The keeper sends nothing at this stage, so that the only event is the end of the connection.
        _ = try? retrying { poll(&waited, 1, -1) }
        let pause = state.withLock { state -> Duration? in
            guard state.line?.descriptor === line.descriptor, !state.hasEnded else { return nil }
            state.line = nil
            guard isWanted.load(ordering: .sequentiallyConsistent) else { return nil }
            state.deaths = start.duration(to: .now) > .seconds(60) ? 1 : state.deaths + 1
            return state.deaths <= Self.deathLimit ? .milliseconds(100 * (state.deaths - 1)) : nil
        }
        guard let pause else { return }
        log.warning("the keeper has died: another one is started")
        usleep(useconds_t(pause / .microseconds(1)))
        settle()
    }

    private static func dismiss(_ state: inout State) {
        guard let line = state.line.take() else { return }
        // If the keeper was killed, the message fails, which does not matter.
        try? KeeperMessage.farewell.send(over: line)
        line.shutDown()
    }
}

/// The process that holds the mounts of a dead daemon until the next daemon takes them over: `purvey-keeper`
/// (``DaemonKeeper``) or systemd (``ServiceStore``). Functions may be called on any thread. Functions marked as
/// blocking may wait for seconds if that process does not read its messages.
protocol MountKeeper: Sendable {
    /// Announces this daemon, which will claim the mounts. Blocks.
    func introduce()
    /// Takes over the mounts of a dead daemon. Blocks. Called after this process has locked the domains' directory, and
    /// before ``want(_:)``.
    func claimMounts() -> [KeptMount]
    /// Leaves the mounts of the previous daemon with that daemon's keeper, because this daemon serves no domains or
    /// does not mount them. Blocks.
    func withdraw()
    /// Passes a mount to the keeper, or updates the mount there. Blocks.
    func hold(_ mount: KeptMount)
    /// Notifies the keeper that a mount has ended. Blocks.
    func drop(_ identifier: String)
    /// Sets whether a keeper is needed, which is the case while domains exist. Does not block.
    func want(_ isWanted: Bool)
    /// Ends the keeper's work, because the daemon ends intentionally. Blocks.
    func end()
}
