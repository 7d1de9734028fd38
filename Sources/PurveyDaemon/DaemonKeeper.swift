import Exchange
import Glibc
import Keeping
import LinuxSystem
import Synchronization

/// The process that starts a daemon again that has died, for as long as it has domains, and keeps their mounts meanwhile: programs
/// that use them would get errors until somebody runs the next command.
///
/// A daemon whose predecessor has died finds that one's keeper, and takes the mounts and the keeper over. Any other starts one when
/// there is a domain. A keeper that dies is replaced, and has everything handed to it again.
final class DaemonKeeper: MountKeeper {
    private let program: String
    private let kept: KeptProgram
    private let log: DaemonLog

    private struct State {
        var hasEnded = false
        /// What it is told over. It ends when this closes after a farewell.
        var line: SequencedPacketSocket?
        /// The mounts that it has, or is to have.
        var mounts: [String: KeptMount] = [:]
        /// Keepers that died, each soon after its start.
        var deaths = 0
    }

    // Held while the keeper is started or told something, which takes seconds where it does not listen, so that it is not started twice and
    // none is left.
    private let state = Lock(State())
    /// Apart from the state, because whoever says it does not wait.
    private let isWanted = Atomic<Bool>(false)

    /// How long a predecessor's keeper may take to hand over what it has.
    private static let patience = Duration.seconds(20)
    private static let deathLimit = 10

    /// - Parameter deaths: how many daemons have died before this one, each soon after its start.
    /// - Returns: `nil` where the program is not installed beside this one.
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

    // MARK: The predecessor's

    /// Goes to the keeper of a daemon that has died, if there is one, and says that this daemon lives. Before anybody takes the daemon
    /// to be ready; does not wait for an answer.
    func introduce() {
        guard let address = try? LocalSocketAddress(path: kept.socket),
            let line = try? SequencedPacketSocket.connect(to: address), isOfThisUser(line),
            (try? KeeperMessage.introduction(kept).send(over: line)) != nil
        else { return }
        state.withLock { state in if !state.hasEnded { state.line = line } }
    }

    /// Whoever made the socket is to be told of nothing that is not theirs.
    private func isOfThisUser(_ line: SequencedPacketSocket) -> Bool {
        (try? line.peerCredentials().userID) == getuid()
    }

    /// The mounts of a daemon that has died. From now on its keeper is this daemon's. Blocks until it has handed them over; called
    /// when the domains are this process's, and before ``want(_:)``.
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

    /// This daemon serves no domains: whoever does may have the mounts.
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

    /// Has the keeper keep a mount, from its start on where it is not there yet.
    func hold(_ mount: KeptMount) {
        state.withLock { state in
            state.mounts[mount.identifier] = mount
            tell(.hold(mount), &state)
        }
    }

    /// A mount is over.
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
            // One that takes nothing is as good as dead: whoever watches it sees to the next.
            line.shutDown()
        }
    }

    // MARK: Beginning and end

    /// Says whether there is a reason for a keeper now. It is started and ended in the background.
    func want(_ isWanted: Bool) {
        let wasWanted = self.isWanted.exchange(isWanted, ordering: .sequentiallyConsistent)
        // Where there is no domain, the last daemon's keeper may be there still.
        if wasWanted != isWanted || !isWanted { HandlerThreads.shared.run { self.settle() } }
    }

    /// The daemon ends, and is not to be started again. What is mounted when it has gone is unmounted then.
    func end() {
        state.withLock { state in
            state.hasEnded = true
            // It closes with this process, when nothing is mounted any more.
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
        // Nobody else waits for it.
        HandlerThreads.shared.run { _ = try? child.wait() }
        return ours
    }

    /// Waits until the keeper has gone, and starts another one where that was none of this daemon's will.
    private func watch(_ line: SequencedPacketSocket, since start: ContinuousClock.Instant) {
        var waited = pollfd(fd: line.descriptor.rawValue, events: CShort(POLLIN), revents: 0)
        // It says nothing any more but its end.
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
        // One that has been killed needs no farewell.
        try? KeeperMessage.farewell.send(over: line)
        line.shutDown()
    }
}
