import Conduit
import Exchange
import Foundation
import Glibc
import LinuxSystem
import ProgramTesting

/// A daemon in a separate process, which a test can kill and start again. Most functions block.
package final class StartedDaemon: Sendable {
    /// The daemon's `PURVEY_HOME`.
    package let home: String
    package let locations: Locations

    private struct State {
        var daemon: ChildProgram?
        var connection: Connection?
        var looksAtDead = 0
        /// The PID of a daemon that another daemon's keeper has started.
        var adopted: pid_t?
    }

    // Leaf lock.
    private let state = Lock(State())

    package struct NotStarted: Error, CustomStringConvertible {
        package let description: String
    }

    /// - Parameter home: An absolute path, short enough for a socket in it.
    package init(home: String) throws {
        self.home = home
        locations = try Locations(environment: ["PURVEY_HOME": home], user: getuid())
    }

    /// Starts the daemon, and waits until it listens.
    ///
    /// - Parameters:
    ///   - step: The step at which the daemon dies, in the form of `PURVEY_FAULT_POINT`.
    ///   - providerStep: The step at which its first provider's process dies.
    ///   - hasKeeper: Whether the daemon gets a keeper, which starts the next daemon if this one dies.
    ///   - variables: Environment variables as `NAME=value`, which override this process's own.
    package func start(
        dyingAt step: String? = nil, providerDyingAt providerStep: String? = nil, hasKeeper: Bool = false,
        _ variables: [String] = []
    ) throws {
        var environment = ProcessInfo.processInfo.environment
        environment["PURVEY_HOME"] = home
        environment["PURVEY_COORDINATION"] = nil
        environment["PURVEY_FAULT_POINT"] = step
        environment["PURVEY_PROVIDER_FAULT_POINT"] = providerStep
        // The daemon must not appear on the desktop bus of the user who runs the tests.
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

    /// The PID of the daemon; -1 if none runs.
    package var processID: pid_t { state.withLock { $0.daemon?.processID ?? $0.adopted ?? -1 } }

    /// Adopts the daemon that a keeper has started after another daemon died. Blocks until the new daemon runs, for a
    /// limited time.
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

    /// Whether the daemon's keeper holds the descriptor of a mount.
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

    // MARK: End

    /// Kills the daemon.
    package func kill() {
        guard processID > 0 else { return }
        Glibc.kill(processID, SIGKILL)
        _ = awaitEnd()
    }

    /// Ends the daemon with SIGTERM.
    ///
    /// - Returns: The way it ended; `nil` if it did not end in time and was killed.
    package func end() -> ChildProgram.Ending? {
        guard processID > 0 else { return nil }
        Glibc.kill(processID, SIGCONT)
        Glibc.kill(processID, SIGTERM)
        // On a busy machine its threads take long to end.
        let ending = awaitEnd(patience: 3_000)
        if ending == nil { kill() }
        return ending
    }

    /// Waits until the daemon has ended. Returns the way in which it ended, or `nil` if it does not end in time.
    ///
    /// - Parameter patience: See ``lookForEnd(patience:)``.
    package func awaitEnd(patience: Int = 100) -> ChildProgram.Ending? {
        guard processID > 0 else { return nil }
        for _ in 0..<12_000 {
            if let ending = lookForEnd(patience: patience) { return ending }
            usleep(10_000)
        }
        return nil
    }

    /// Returns the way in which the daemon ended, or `nil` if it runs. After a result, this object has no daemon. Only
    /// one thread at a time may call this repeatedly.
    ///
    /// - Parameter patience: The number of calls after which a zombie counts as killed, although some of its threads
    ///   are still in the kernel.
    package func lookForEnd(patience: Int = 100) -> ChildProgram.Ending? {
        let daemon = processID
        guard daemon > 0 else { return nil }
        if state.withLock({ $0.adopted != nil }) {
            // Only the keeper can wait for its status.
            guard !ProcessState.isAlive(daemon) else { return nil }
            state.withLock { $0 = State() }
            return .exited(0)
        }
        var status: CInt = 0
        let isReaped = waitpid(daemon, &status, WNOHANG) == daemon
        if !isReaped {
            // One of its threads may still be in the kernel, which the next daemon has to handle.
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

    /// Reaps a zombie on another thread, because it cannot be reaped yet. Until an ended child is reaped, the exit
    /// tests of this process do not notice the end of any other child.
    private static func reapLater(_ process: pid_t) {
        Thread.detachNewThread {
            var status: CInt = 0
            while waitpid(process, &status, 0) < 0, errno == EINTR {}
        }
    }

    // MARK: Work

    /// The connection to the daemon; `nil` if no daemon runs.
    package var connection: Connection? { state.withLock { $0.connection } }

    /// The PIDs of the living processes that the daemon has started, which are its providers.
    package var children: [pid_t] { ProcessState.children(of: processID) }

    /// Runs `purvey` to its end, and returns its exit and output.
    ///
    /// - Parameter startsDaemon: Whether the command may start a daemon if none runs.
    package func purvey(
        _ arguments: [String], startsDaemon: Bool = true
    ) throws -> (ending: ChildProgram.Ending, text: String) {
        let path = home + "/output-" + UUID().uuidString
        let output = try FileDescriptor.open(path, [.readWrite, .create, .append])
        var environment = ProcessInfo.processInfo.environment
        environment["PURVEY_HOME"] = home
        if !startsDaemon { environment["PURVEY_DAEMON"] = "/bin/false" }
        let ending = try ChildProgram.start(
            BuiltProgram.path("purvey"), arguments: arguments,
            environment: environment.map { "\($0.key)=\($0.value)" }, descriptors: [nil, output, output]
        ).wait()
        unlink(path)
        return (ending, String(decoding: try output.reopen(.readOnly).readToEnd(limit: 1 << 20), as: UTF8.self))
    }

    /// Removes the home directory, and unmounts `mount` before. The daemon must have ended.
    ///
    /// - Returns: Whether everything was removed.
    package func removeHome(mount: String) -> Bool {
        _ = try? ChildProgram.start("/bin/umount", arguments: ["-l", "-q", mount], descriptors: []).wait()
        // The daemon's children may write to the directory until they have ended, a moment after the daemon.
        for _ in 0..<30_000 {
            try? FileManager.default.removeItem(atPath: home)
            if !FileManager.default.fileExists(atPath: home) { return true }
            usleep(10_000)
        }
        return false
    }
}
