import Exchange
import Foundation
import Glibc
import LinuxSystem
import Testing

/// A daemon of a test's own, in a folder of its own, with processes that use it. All of it is gone afterwards.
final class PrivateDaemon: Sendable {
    /// `PURVEY_HOME` of the daemon and of the processes.
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
    /// - Parameter variables: what the daemon finds in its environment besides, as `NAME=VALUE`.
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

    /// A folder for the test's files.
    var work: String { home + "/work" }

    /// The daemon's process, for as long as it was not told to end.
    var processID: pid_t { state.withLock { $0.daemon?.processID ?? -1 } }

    func board(_ name: String = "board") -> Board { Board(name, client: client) }

    /// Starts the daemon and waits until it listens.
    ///
    /// This process connects to it at once, from the thread that waited: a daemon that nobody needs ends after half a minute,
    /// which a busy machine may take to start the first peer, or to get back to a task.
    func start() async throws {
        let child = try await offPool { () throws in try self.startAndWait() }
        state.withLock { $0.daemon = child }
        // The connection may have been that to an earlier daemon, of whose end this process had not heard yet.
        _ = try await client.call(ListBundlesCall(), attempts: 3)
    }

    private func startAndWait() throws -> ChildProgram {
        try PrivateFolder.make(locations.runtime)
        let (child, channel) = try spawn()
        let answer = try StartMessages.collect(from: channel, seconds: 300)
        guard answer == "ready" else {
            // Nobody else would: the tests of processes that end wait for any child, and find the one that nobody took.
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

    /// Starts a process that does what it is told.
    ///
    /// - Parameter program: another copy of the program, for one that belongs to a bundle.
    func peer(program: String? = nil) throws -> PeerProcess {
        let peer = try PeerProcess(
            program ?? TestProcess.program("ExchangePeer"), environment: TestProcess.environment(home: home))
        state.withLock { $0.peers.append(peer) }
        return peer
    }

    /// Starts a process that does what it is told, in surroundings that a shell's commands make.
    func peer(after commands: String) throws -> PeerProcess {
        let peer = try PeerProcess(
            "/bin/sh", arguments: ["-c", commands + "; exec \"$0\"", TestProcess.program("ExchangePeer")],
            environment: TestProcess.environment(home: home))
        state.withLock { $0.peers.append(peer) }
        return peer
    }

    /// Ends the daemon the hard way.
    func kill() async {
        await stop(SIGKILL)
    }

    /// Ends the daemon in good order and tells how it ended.
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
        // What the daemon ran may write there until it has ended, a moment after the daemon.
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

    /// Ends a daemon that a process started by itself.
    private func stopStrayDaemon() async {
        await eventually {
            let strays = daemonProcesses
            for stray in strays { Glibc.kill(stray, SIGTERM) }
            return strays.isEmpty
        }
    }
}

/// Why a test cannot go on.
struct Failure: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}

/// Runs something that blocks on a thread that may.
func offPool<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
        Thread.detachNewThread { continuation.resume(with: .init { try body() }) }
    }
}

/// Runs something that blocks on a thread that may.
func offPool<Result: Sendable>(_ body: @escaping @Sendable () -> Result) async -> Result {
    await withCheckedContinuation { continuation in
        Thread.detachNewThread { continuation.resume(returning: body()) }
    }
}

/// Expects something to become true, however long the machine takes.
func eventually(
    _ isTrue: () async throws -> Bool, sourceLocation: SourceLocation = #_sourceLocation
) async rethrows {
    // Looks are counted rather than time: a busy machine may let no task run for long.
    for _ in 0..<60_000 {
        if try await isTrue() { return }
        try? await Task.sleep(for: .milliseconds(5))
    }
    Issue.record("it did not become true", sourceLocation: sourceLocation)
}
