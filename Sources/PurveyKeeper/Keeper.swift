import Fuse
import Glibc
import Keeping
import LinuxSystem

/// Waits for the end of the program that has started this one, and has it run again where that was none of its own will. Meanwhile it
/// keeps the mounts, so that programs wait for the next one instead of getting errors.
///
/// Files in a mount wait from the moment in which the daemon dies, and nobody but the next daemon can mend that. The keeper does
/// nothing else, so that there is nothing in it to die of: it does one thing after the other, and waits only where it waits for
/// everybody at once. It opens nothing in the mounts, because it would wait for itself.
struct Keeper {
    /// To the program that runs; `nil` while none does.
    private var line: SequencedPacketSocket?
    /// The one that has served the mounts last; `nil` where it had gone already when it was looked for.
    private var server: ProcessDescriptor?
    private var program: KeptProgram
    private var visitors: Visitors
    private var mounts: [String: KeptMount] = [:]
    private var isEnding = false
    private var deaths: Int
    private var begun = ContinuousClock.now

    /// One that has lived for so long does not die of its start.
    private static let longLife = Duration.seconds(60)
    /// After so many deaths, each soon after a start, it is left alone until somebody needs it.
    private static let deathLimit = 12
    /// After so many the mounts are not kept any more: what comes again with them may be what it dies of.
    private static let keptDeathLimit = 6
    private static let firstPause = Duration.milliseconds(250)
    private static let longestPause = Duration.seconds(30)
    /// How long somebody else's program may take to claim the mounts.
    private static let patience = Duration.seconds(10)
    private static let mountLimit = 256
    /// In bytes.
    private static let identifierLimit = 256
    /// How long a process may take to end when it has closed everything.
    private static let endingMilliseconds: CInt = 5000

    /// - Returns: `nil` where nobody introduces a program.
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

    /// Returns the exit status.
    mutating func run() -> CInt {
        while true {
            serve()
            if isEnding { return leave(0) }
            // A program that claimed the mounts has lived from then on.
            if begun.duration(to: .now) >= Self.longLife { deaths = 0 }
            deaths += 1
            if let status = replace() { return leave(status) }
        }
    }

    /// Ends what is mounted still, so that nobody waits for ever.
    private mutating func leave(_ status: CInt) -> CInt {
        giveUpMounts()
        visitors.close()
        return status
    }

    /// Lets go of the mounts, and ends those that nobody serves. Where only the line to it has broken, whoever serves them goes on.
    private mutating func giveUpMounts() {
        defer { mounts = [:] }
        // A process that ends has closed its line some moments before it is seen to have ended.
        guard !mounts.isEmpty, server.map(Self.hasEnded) ?? true else { return }
        for mount in mounts.values { abandon(mount) }
    }

    /// One of its threads may wait in the kernel for an answer that nobody gives any more; it serves nobody then.
    private static func hasEnded(_ server: ProcessDescriptor) -> Bool {
        server.hasEnded(within: endingMilliseconds) || server.isDying
    }

    /// Unmounts it, unless the program did; the session ends with that, and with the last descriptor. A folder that was made for it
    /// goes, too.
    private func abandon(_ mount: KeptMount) {
        let session = SessionHandover(
            record: Array(mount.record.dropFirst()), devices: Array(mount.descriptors.dropFirst()))
        if let session, session.abandon(), mount.record.first == 1 { rmdir(session.path) }
    }

    // MARK: While the program lives

    /// Takes what the program says, until it has gone.
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

    // MARK: When it has died

    /// Sees to it that the program runs again, and waits until it has the mounts.
    ///
    /// - Returns: the exit status where it is not to run again.
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
            // Somebody needed one, and was faster.
            if hasClaimant(until: .now + pause) { return nil }
            guard (try? FileStatus.of(program.folder))?.kind == .directory else { return 0 }
            complain("the daemon has died: it is started again (\(deaths))")
            switch start() {
            case .claimed: return nil
            case .ended(.exited(0)), .ended(.signalled(SIGTERM)):
                // It runs, or somebody does not want it, or there is one by now: who is there may claim the mounts.
                if hasClaimant(until: .now + (mounts.isEmpty ? .zero : Self.patience)) { return nil }
                // One that came to introduce itself and has gone has died.
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
        // It goes to the background when it listens, and claims the mounts then.
        let started = try? ChildProgram.start(
            program.path, arguments: program.arguments + ["--deaths", "\(deaths)"],
            descriptors: [nil, nil, try? .copy(of: STDERR_FILENO)], workingFolder: "/")
        guard let child = started, let process = try? ProcessDescriptor.open(child.processID) else {
            return .ended(.unknown)
        }
        while !process.hasEnded {
            if adopt() {
                // Somebody has to wait for it.
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
            // One that is there has all the time that its start takes; one that has gone is not waited for.
            if end <= .now, !visitors.hasIntroduced || visitors.hasLost { return false }
            if visitors.hasLost || visitors.hasLeft, !visitors.hasIntroduced { return false }
            visitors.wait(besides: [], until: max(end, .now + .milliseconds(100)))
        }
        return true
    }

    /// Has who claims the mounts serve them.
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

    /// None after the first death, and a short one while programs wait. Then longer and longer, so that one that dies of its start does
    /// not take all of a processor.
    private var pause: Duration {
        if deaths <= 1 { return .zero }
        if !mounts.isEmpty { return .milliseconds(100) }
        return min(Self.firstPause * (1 << min(deaths - 2, 10)), Self.longestPause)
    }
}

func complain(_ text: String) { manual.complain(text) }
