import Exchange
import Foundation
import Glibc
import LinuxSystem
import Testing

/// A test's own daemon in its own directory, with the processes that use it. Everything is removed afterwards.
final class PrivateDaemon: Sendable {
    /// `PURVEY_HOME` of the daemon and of the peers.
    let home: String
    let locations: Locations
    /// This process as a client of the daemon.
    let client: ExchangeClient
    private let variables: [String]

    private struct State {
        var daemon: ChildProgram?
        var peers: [PeerProcess] = []
    }

    private let state = Lock(State())

    /// Runs a test with a daemon that is ready.
    ///
    /// - Parameter variables: Additional environment variables of the daemon, as `NAME=VALUE`.
    static func run(
        starting: Bool = true, variables: [String] = [], _ body: (PrivateDaemon) async throws -> Void
    ) async throws {
        TestProcess.prepare()
        let daemon = try PrivateDaemon(variables)
        do {
            if starting { try await daemon.start() }
            try await body(daemon)
        } catch {
            await daemon.end()
            throw error
        }
        await daemon.end()
    }

    private init(_ variables: [String]) throws {
        self.variables = variables
        home = TestProcess.folder + "/" + UUID().uuidString.prefix(8)
        try FileManager.default.createDirectory(atPath: home + "/work", withIntermediateDirectories: true)
        locations = try Locations(environment: ["PURVEY_HOME": home], user: getuid())
        client = ExchangeClient(locations)
    }

    /// A directory for the test's files.
    var work: String { home + "/work" }

    /// The daemon's process ID, or -1 after the daemon was told to end.
    var processID: pid_t { state.withLock { $0.daemon?.processID ?? -1 } }

    func board(_ name: String = "board") -> Board { Board(name, client: client) }

    /// Starts the daemon and waits until it listens.
    ///
    /// This process connects to it at once, from the thread that waited. An unused daemon ends after half a minute,
    /// and a busy machine may need that long to start the first peer or to resume a task.
    func start() async throws {
        let child = try await offPool { () throws in try self.startAndWait() }
        state.withLock { $0.daemon = child }
        // The connection may have belonged to an earlier daemon, before this process noticed its end.
        _ = try await client.call(ListBundlesCall(), attempts: 3)
    }

    private func startAndWait() throws -> ChildProgram {
        try PrivateFolder.make(locations.runtime)
        let (child, channel) = try spawn()
        let answer = try StartMessages.collect(from: channel, seconds: 300)
        guard answer == "ready" else {
            // Reaps the child. Otherwise tests that wait for any child process would find it.
            let ending = try child.wait()
            throw Failure("the daemon says: \(answer) (\(ending)); there are \(daemonProcesses)")
        }
        let connected = DispatchSemaphore(value: 0)
        client.withConnection { _ in connected.signal() }
        connected.wait()
        return child
    }

    private func spawn() throws -> (ChildProgram, FileDescriptor) {
        let (ours, theirs) = try StartMessages.channel()
        let log = try FileDescriptor.open(home + "/daemon.log", [.writeOnly, .create, .append])
        let child = try ChildProgram.start(
            TestProcess.program("purveyd"),
            arguments: ["--foreground", "--log", "debug", "--ready-descriptor", "3"],
            environment: TestProcess.environment(home: home) + variables, descriptors: [nil, log, log, theirs])
        return (child, ours)
    }

    /// Starts a peer process.
    ///
    /// - Parameter program: Another copy of the program, for a process that belongs to a bundle.
    func peer(program: String? = nil) throws -> PeerProcess {
        let peer = try PeerProcess(
            program ?? TestProcess.program("ExchangePeer"), environment: TestProcess.environment(home: home))
        state.withLock { $0.peers.append(peer) }
        return peer
    }

    /// Starts a peer process in an environment that shell commands prepare.
    func peer(after commands: String) throws -> PeerProcess {
        let peer = try PeerProcess(
            "/bin/sh", arguments: ["-c", commands + "; exec \"$0\"", TestProcess.program("ExchangePeer")],
            environment: TestProcess.environment(home: home))
        state.withLock { $0.peers.append(peer) }
        return peer
    }

    /// Kills the daemon with SIGKILL.
    func kill() async {
        await stop(SIGKILL)
    }

    /// Ends the daemon with a signal and returns how it ended.
    @discardableResult
    func stop(_ signal: CInt = SIGTERM) async -> ChildProgram.Ending? {
        let daemon = state.withLock { state in
            defer { state.daemon = nil }
            return state.daemon
        }
        guard let daemon else { return nil }
        Glibc.kill(daemon.processID, signal)
        return await offPool { try? daemon.wait() }
    }

    private func end() async {
        client.disconnect()
        for peer in state.withLock({ $0.peers }) { await peer.end() }
        await stop()
        await stopStrayDaemon()
        // The daemon's children may write there until they have ended, a moment after the daemon.
        await eventually {
            try? FileManager.default.removeItem(atPath: home)
            return !FileManager.default.fileExists(atPath: home)
        }
    }
}

extension PrivateDaemon {
    /// The processes that have this daemon's socket on their command line.
    var daemonProcesses: [pid_t] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return names.compactMap { pid_t($0) }.filter { number in
            let words = FileManager.default.contents(atPath: "/proc/\(number)/cmdline") ?? Data()
            return words.range(of: Data(locations.socket.utf8)) != nil
        }
    }

    /// Ends daemons that a peer started by itself.
    private func stopStrayDaemon() async {
        await eventually {
            let strays = daemonProcesses
            for stray in strays { Glibc.kill(stray, SIGTERM) }
            return strays.isEmpty
        }
    }
}

/// A failure of a test's preparations or expectations.
struct Failure: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}

/// Runs a blocking function on a thread of its own, outside Swift's task pool.
func offPool<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
        Thread.detachNewThread { continuation.resume(with: .init { try body() }) }
    }
}

/// Runs a blocking function on a thread of its own, outside Swift's task pool.
func offPool<Result: Sendable>(_ body: @escaping @Sendable () -> Result) async -> Result {
    await withCheckedContinuation { continuation in
        Thread.detachNewThread { continuation.resume(returning: body()) }
    }
}

/// Waits until a condition holds, and records an issue if it never does.
func eventually(
    _ isTrue: () async throws -> Bool, sourceLocation: SourceLocation = #_sourceLocation
) async rethrows {
    // Counts attempts rather than time, because a busy machine may run no task for long.
    for _ in 0..<60_000 {
        if try await isTrue() { return }
        try? await Task.sleep(for: .milliseconds(5))
    }
    Issue.record("it did not become true", sourceLocation: sourceLocation)
}
