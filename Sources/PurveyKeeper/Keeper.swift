import Fuse
import Glibc
import LinuxSystem
import MountTakeover
import ProgramManuals

/// The keeper. It waits for the end of the daemon that started it, and restarts the daemon unless the daemon ended
/// intentionally. Meanwhile it holds the descriptors of the mounts, so that programs wait for the next daemon instead
/// of getting errors.
///
/// When the daemon dies, accesses to files in a mount block until the next daemon runs. Therefore the keeper has no
/// other task, in which it could crash. It is single-threaded, and blocks only while it waits for all its peers at
/// once. It opens no files in the mounts, because it would wait for itself.
struct Keeper {
    /// The connection to the running daemon; `nil` while no daemon runs.
    private var line: SequencedPacketSocket?
    /// The process that served the mounts last; `nil` if that process had ended before it was looked up.
    private var server: ProcessDescriptor?
    private var program: KeptProgram
    private var visitors: Visitors
    private var mounts: [String: KeptMount] = [:]
    private var isEnding = false
    private var deaths: Int
    private var begun = ContinuousClock.now

    /// If a daemon ran at least this long, its death does not count as a death soon after the start.
    private static let longLife = Duration.seconds(60)
    /// The number of consecutive deaths after which the keeper does not restart the daemon.
    private static let deathLimit = 12
    /// The number of consecutive deaths after which the mounts are ended, because they may cause the crashes.
    private static let keptDeathLimit = 6
    private static let firstPause = Duration.milliseconds(250)
    private static let longestPause = Duration.seconds(30)
    /// The timeout for the first daemon's introduction, and for a daemon that was started by another process to claim
    /// the mounts.
    private static let patience = Duration.seconds(10)
    private static let mountLimit = 256
    /// The maximum length of a mount's identifier in bytes.
    private static let identifierLimit = 256
    /// The timeout in milliseconds for a process to end after it has closed its connection.
    private static let endingMilliseconds: CInt = 5000

    /// Waits until the daemon at the other end introduces itself. Returns `nil` if the daemon does not introduce
    /// itself.
    init?(line: SequencedPacketSocket) {
        guard case .message(.introduction(let program)) = KeeperMessage.next(from: line, until: .now + Self.patience)
        else {
            return nil
        }
        self.line = line
        server = try? line.peerProcess()
        self.program = program
        deaths = program.deaths
        visitors = Visitors(program)
    }

    /// Runs until the daemon is not needed any more. Returns the exit status.
    mutating func run() -> CInt {
        while true {
            serve()
            if isEnding { return leave(0) }
            // A daemon's lifetime counts from its claim of the mounts.
            if begun.duration(to: .now) >= Self.longLife { deaths = 0 }
            deaths += 1
            if let status = replace() { return leave(status) }
        }
    }

    /// Ends the remaining mounts, so that no program waits for ever.
    private mutating func leave(_ status: CInt) -> CInt {
        giveUpMounts()
        visitors.close()
        return status
    }

    /// Drops the mounts. Also ends them if the process that served them last has ended or is dying. If only that
    /// process's connection broke, it continues to serve the mounts.
    private mutating func giveUpMounts() {
        defer { mounts = [:] }
        // An ending process closes its connection some moments before its end is visible.
        guard !mounts.isEmpty, server.map(Self.hasEnded) ?? true else { return }
        for mount in mounts.values { abandon(mount) }
    }

    /// Whether a server has ended or is dying. A dying process serves no mount, even if one of its threads waits in the
    /// kernel for a reply that never comes.
    private static func hasEnded(_ server: ProcessDescriptor) -> Bool {
        server.hasEnded(within: endingMilliseconds) || server.isDying
    }

    /// Unmounts a mount, unless the daemon has unmounted it. The FUSE session ends at the latest when its last
    /// descriptor is closed. Also removes a directory that was created for the mount.
    private func abandon(_ mount: KeptMount) {
        let session = SessionHandover(
            record: Array(mount.record.dropFirst()), devices: Array(mount.descriptors.dropFirst()))
        if let session, session.abandon(), mount.record.first == 1 { rmdir(session.path) }
    }

    // MARK: While the daemon runs

    /// Handles the daemon's messages until the daemon closes the connection.
    private mutating func serve() {
        while let line {
            switch KeeperMessage.receive(from: line) {
            case .message(let message): take(message)
            case .nothing: visitors.wait(besides: [line.descriptor])
            case .gone, .malformed: self.line = nil
            }
        }
    }

    private mutating func take(_ message: KeeperMessage) {
        switch message {
        case .hold(let mount):
            guard mount.identifier.utf8.count <= Self.identifierLimit,
                mounts[mount.identifier] != nil || mounts.count < Self.mountLimit
            else {
                let name = mount.identifier.prefix(Self.identifierLimit)
                return complain("the mount \(name) is not kept: there are \(mounts.count), or its name is too long")
            }
            mounts[mount.identifier] = mount
        case .drop(let identifier): mounts[identifier] = nil
        case .farewell: isEnding = true
        case .introduction, .claim, .mount, .end: break
        }
    }

    // MARK: After the daemon has died

    /// Restarts the daemon, and waits until it has claimed the mounts.
    ///
    /// - Returns: The exit status of the keeper if the daemon must not be restarted; `nil` after a daemon has claimed
    ///   the mounts.
    private mutating func replace() -> CInt? {
        while true {
            guard deaths <= Self.deathLimit else {
                complain(
                    "the daemon has died \(deaths) times, each time soon after its start, and is not started again")
                return 1
            }
            if deaths > Self.keptDeathLimit, !mounts.isEmpty {
                complain("the daemon has died \(deaths) times: its mounts are given up")
                giveUpMounts()
            }
            visitors.begin()
            // A process that needs a daemon may have started one already.
            if hasClaimant(until: .now + pause) { return nil }
            guard (try? FileStatus.of(program.folder))?.kind == .directory else { return 0 }
            complain("the daemon has died: it is started again (\(deaths))")
            switch start() {
            case .claimed: return nil
            case .ended(.exited(0)), .ended(.signalled(SIGTERM)):
                // The started process ends in this way in three cases: the daemon has gone to the background, was ended
                // by the user, or found another running daemon. In the first and the last case, a daemon may claim the
                // mounts.
                if hasClaimant(until: .now + (mounts.isEmpty ? .zero : Self.patience)) { return nil }
                // A daemon that introduced itself and disconnected without a farewell has died.
                guard visitors.hasLost, !visitors.hasLeft else { return 0 }
            case .ended: break
            }
            deaths += 1
        }
    }

    private enum Start {
        case claimed
        case ended(ChildProgram.Ending)
    }

    private mutating func start() -> Start {
        visitors.begin()
        // The daemon goes to the background once it listens, and then claims the mounts.
        let started = try? ChildProgram.start(
            program.path, arguments: program.arguments + ["--deaths", "\(deaths)"],
            descriptors: [nil, nil, try? .copy(of: STDERR_FILENO)], workingFolder: "/")
        guard let child = started, let process = try? ProcessDescriptor.open(child.processID) else {
            return .ended(.unknown)
        }
        while !process.hasEnded {
            if adopt() {
                // Reaps the process.
                _ = try? SystemThread.start("starter") { _ = try? child.wait() }
                return .claimed
            }
            visitors.wait(besides: [process.descriptor])
        }
        let ending = (try? child.wait()) ?? .unknown
        return adopt() ? .claimed : .ended(ending)
    }

    private mutating func hasClaimant(until end: ContinuousClock.Instant) -> Bool {
        while !adopt() {
            // A connected daemon is awaited even after the deadline, because its start may take long. A daemon that has
            // disconnected is not awaited.
            if end <= .now, !visitors.hasIntroduced || visitors.hasLost { return false }
            if visitors.hasLost || visitors.hasLeft, !visitors.hasIntroduced { return false }
            visitors.wait(besides: [], until: max(end, .now + .milliseconds(100)))
        }
        return true
    }

    /// Passes the mounts to the daemon that claims them. Returns whether a daemon claimed them.
    private mutating func adopt() -> Bool {
        guard let (line, program) = visitors.takeClaimant() else { return false }
        do throws(Errno) {
            for mount in mounts.values { try KeeperMessage.mount(mount).send(over: line) }
            try KeeperMessage.end.send(over: line)
        } catch {
            visitors.hasLost = true
            return false
        }
        self.line = line
        server = try? line.peerProcess()
        self.program = program
        begun = .now
        return true
    }

    /// The delay before the restart. It is zero after the first death. Later it is short if there are mounts, because
    /// programs may wait for them. Without mounts it increases, so that a daemon that crashes at its start does not use
    /// a whole processor.
    private var pause: Duration {
        if deaths <= 1 { return .zero }
        if !mounts.isEmpty { return .milliseconds(100) }
        return min(Self.firstPause * (1 << min(deaths - 2, 10)), Self.longestPause)
    }
}

func complain(_ text: String) { manual.complain(text) }

let manual = ProgramManual(
    name: "purvey-keeper",
    summary: "start the daemon of Purvey again, and keep its mounts", usage: ["[--help] [--version]"],
    text: """
        Starts purveyd again if it ends unexpectedly, and keeps its mounts until then, so that programs wait instead of
        getting errors.

        It is not started by hand. purveyd starts it while domains exist, with a socket as descriptor 3.
        """)
