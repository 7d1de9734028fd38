import Conduit
import Exchange
import Foundation
import Glibc
import LinuxSystem
import ProgramTesting

/// A daemon in a process of its own, which dies as often as somebody wants. Most of this blocks.
package final class StartedDaemon: Sendable {
    /// Its `PURVEY_HOME`.
    package let home: String
    package let locations: Locations

    private struct State {
        var daemon: ChildProgram?
        var connection: Connection?
        var looksAtDead = 0
        /// A daemon that another's keeper has started.
        var adopted: pid_t?
    }

    // Innermost.
    private let state = Lock(State())

    package struct NotStarted: Error, CustomStringConvertible {
        package let description: String
    }

    /// - Parameter home: an absolute path, short enough for a socket in it.
    package init(home: String) throws {
        self.home = home
        locations = try Locations(environment: ["PURVEY_HOME": home], user: getuid())
    }

    /// Starts the daemon, and waits until it listens.
    ///
    /// - Parameters:
    ///   - step: the step at which it dies, as `PURVEY_FAULT_POINT` has it.
    ///   - providerStep: the step at which its first provider's process dies.
    ///   - hasKeeper: whether it gets a keeper, which starts the next daemon where this one dies.
    ///   - variables: `NAME=value`, in the place of what this process has.
    package func start(
        dyingAt step: String? = nil, providerDyingAt providerStep: String? = nil, hasKeeper: Bool = false,
        _ variables: [String] = []
    ) throws {
        var environment = ProcessInfo.processInfo.environment
        environment["PURVEY_HOME"] = home
        environment["PURVEY_COORDINATION"] = nil
        environment["PURVEY_FAULT_POINT"] = step
        environment["PURVEY_PROVIDER_FAULT_POINT"] = providerStep
        // Nothing of a test's is shown on the bus of whoever runs it.
        environment["PURVEY_BUS"] = "none"
        for variable in variables { environment[String(variable.prefix { $0 != "=" })] = nil }
        try PrivateFolder.make(locations.runtime)
        let (ours, theirs) = try StartMessages.channel()
        let log = try FileDescriptor.open(home + "/daemon.log", [.writeOnly, .create, .append])
        let child = try ChildProgram.start(
            BuiltProgram.path("purveyd"),
            arguments: ["--foreground", "--log", "debug", "--ready-descriptor", "3"]
                + (hasKeeper ? ["--deaths", "0"] : []),
            environment: environment.map { "\($0.key)=\($0.value)" } + variables,
            descriptors: [nil, log, log, consume theirs])
        state.withLock { $0 = State(daemon: child) }
        let answer = try StartMessages.collect(from: ours, seconds: 300)
        guard answer == "ready" else { throw NotStarted(description: "the daemon says: \(answer)") }
        let connection = try Connection.connect(to: locations.socket)
        state.withLock { $0.connection = connection }
    }

    /// The number of its process; -1 when there is none.
    package var processID: pid_t { state.withLock { $0.daemon?.processID ?? $0.adopted ?? -1 } }

    /// Takes the daemon that a keeper has started after the death of another one for its own. Blocks until there is one; not for ever.
    package func adopt() throws {
        var last = ""
        for _ in 0..<6_000 {
            do {
                let address = try LocalSocketAddress(path: locations.socket)
                let process = try SequencedPacketSocket.connect(to: address).peerCredentials().processID
                let connection = try Connection.connect(to: locations.socket)
                guard ProcessState.isAlive(process) else { throw NotStarted(description: "it is dead again") }
                return state.withLock { $0 = State(connection: connection, adopted: process) }
            } catch {
                last = "\(error)"
                usleep(10_000)
            }
        }
        throw NotStarted(description: "no keeper starts a daemon: \(last)")
    }

    /// Whether its keeper has a mount.
    package var isKept: Bool {
        ProcessState.children(of: processID).contains { process in
            let folder = "/proc/\(process)/fd"
            let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
            return (try? Files.read("/proc/\(process)/comm")) == "purvey-keeper\n"
                && names.contains {
                    (try? FileManager.default.destinationOfSymbolicLink(atPath: folder + "/" + $0)) == "/dev/fuse"
                }
        }
    }

    // MARK: Its end

    /// Ends it the hard way.
    package func kill() {
        guard processID > 0 else { return }
        Glibc.kill(processID, SIGKILL)
        _ = awaitEnd()
    }

    /// Ends it in good order.
    ///
    /// - Returns: how it ended; `nil` when it went on and on, and was killed.
    package func end() -> ChildProgram.Ending? {
        guard processID > 0 else { return nil }
        Glibc.kill(processID, SIGCONT)
        Glibc.kill(processID, SIGTERM)
        // On a busy machine its threads take their time to go.
        let ending = awaitEnd(patience: 3_000)
        if ending == nil { kill() }
        return ending
    }

    /// How it ended; `nil` when it goes on and on.
    ///
    /// - Parameter patience: see ``lookForEnd(patience:)``.
    package func awaitEnd(patience: Int = 100) -> ChildProgram.Ending? {
        guard processID > 0 else { return nil }
        for _ in 0..<12_000 {
            if let ending = lookForEnd(patience: patience) { return ending }
            usleep(10_000)
        }
        return nil
    }

    /// How it ended, if it has; there is none then any more. Called again and again by one thread at a time.
    ///
    /// - Parameter patience: so many looks at one that is dead and of which something is in the kernel still; then it counts as killed.
    package func lookForEnd(patience: Int = 100) -> ChildProgram.Ending? {
        let daemon = processID
        guard daemon > 0 else { return nil }
        if state.withLock({ $0.adopted != nil }) {
            // Its status is for the keeper.
            guard !ProcessState.isAlive(daemon) else { return nil }
            state.withLock { $0 = State() }
            return .exited(0)
        }
        var status: CInt = 0
        let isReaped = waitpid(daemon, &status, WNOHANG) == daemon
        if !isReaped {
            // One of its threads may be in the kernel still, which the next daemon sees to.
            guard ProcessState.isDead(daemon) else { return nil }
            let looks = state.withLock { state in
                state.looksAtDead += 1
                return state.looksAtDead
            }
            guard looks > patience else { return nil }
            Self.reapLater(daemon)
        }
        state.withLock { $0 = State() }
        let signal = isReaped ? status & 0x7F : SIGKILL
        return signal == 0 ? .exited(status >> 8 & 0xFF) : .signalled(signal)
    }

    /// Waits elsewhere for what is dead and cannot be waited for yet: as long as a child that ended is left, this process's exit
    /// tests hear of the end of no other.
    private static func reapLater(_ process: pid_t) {
        Thread.detachNewThread {
            var status: CInt = 0
            while waitpid(process, &status, 0) < 0, errno == EINTR {}
        }
    }

    // MARK: Its work

    /// The connection to it; `nil` when there is no daemon.
    package var connection: Connection? { state.withLock { $0.connection } }

    /// The numbers of the processes that it has started and that live: its providers'.
    package var children: [pid_t] { ProcessState.children(of: processID) }

    /// Runs `purvey` to its end, and gives what it says.
    package func purvey(_ arguments: [String]) throws -> (ending: ChildProgram.Ending, text: String) {
        let path = home + "/output-" + UUID().uuidString
        let output = try FileDescriptor.open(path, [.readWrite, .create, .append])
        let environment = ProcessInfo.processInfo.environment.merging(["PURVEY_HOME": home]) { $1 }
        let ending = try ChildProgram.start(
            BuiltProgram.path("purvey"), arguments: arguments,
            environment: environment.map { "\($0.key)=\($0.value)" }, descriptors: [nil, output, output]
        ).wait()
        unlink(path)
        return (ending, String(decoding: try output.reopen(.readOnly).readToEnd(limit: 1 << 20), as: UTF8.self))
    }

    /// Removes what it was started in, with what is mounted there. It has ended.
    ///
    /// - Returns: whether all of it is gone.
    package func removeHome(mount: String) -> Bool {
        _ = try? ChildProgram.start("/bin/umount", arguments: ["-l", "-q", mount], descriptors: []).wait()
        // What the daemon ran may write there until it has ended, a moment after the daemon.
        for _ in 0..<30_000 {
            try? FileManager.default.removeItem(atPath: home)
            if !FileManager.default.fileExists(atPath: home) { return true }
            usleep(10_000)
        }
        return false
    }
}
