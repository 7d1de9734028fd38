import Conduit
import ConduitTestMessages
import Glibc
import LinuxSystem
import ProgramTesting
import Synchronization
import TestThreads
import Testing

@Suite(.timeLimit(.minutes(10)), .ownThreads) struct ListenerTests {
    private let directory: TemporaryDirectory
    private let path: String

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.path + "/run/daemon.socket"
    }

    private func listen(at path: String? = nil, onConnect: @escaping @Sendable (Connection) -> Void = { _ in }) throws
        -> Listener
    {
        try Listener(path: path ?? self.path, service: TestService().service, onConnect: onConnect)
    }

    @Test func aListenerServesClientsThatConnectToItsPath() async throws {
        let listener = try listen()
        defer { listener.close() }
        let connection = try Connection.connect(to: path)
        defer { connection.close() }
        #expect(try await connection.call(Echo(Parcel(number: 5))).number == 5)
        let status = try FileStatus.of(path)
        #expect(status.kind == .socket)
        #expect(status.permissions == 0o600)
        #expect(try FileStatus.of(directory.path + "/run").permissions == 0o700)
    }

    @Test func eachSideKnowsTheOtherProcess() async throws {
        let process = try PeerProcess.listening(at: path)
        let connection = try Connection.connect(to: path)
        defer { connection.close() }
        #expect(connection.peer.credentials.processID == process.program.processID)
        #expect(connection.peer.credentials.userID == geteuid())
        #expect(connection.peer.process?.processID == process.program.processID)
        let executable = try connection.peer.executable()
        let path = try #require(executable.path)
        #expect(path.hasSuffix("/ConduitPeer"))
        #expect(try executable.identity == FileStatus.of(path).identity)
        try process.descriptor.send(signal: SIGKILL)
        try await eventually { connection.closeReason != nil }
        // The process's sockets close a moment before the process has ended.
        try await eventually { connection.peer.process?.hasEnded == true }
        #expect(throws: Errno.noSuchProcess) { try connection.peer.executable() }
    }

    @Test func theListenersSideKnowsWhoConnects() async throws {
        let accepted = Expectation<Connection>()
        let listener = try listen { accepted.fulfill($0) }
        defer { listener.close() }
        let connection = try Connection.connect(to: path)
        defer { connection.close() }
        let peer = try await accepted.value().peer
        #expect(peer.credentials == PeerCredentials(processID: getpid(), userID: geteuid(), groupID: getegid()))
        #expect(peer.process?.processID == getpid())
        #expect(try peer.executable().identity == FileStatus.of("/proc/self/exe").identity)
    }

    @Test func aConnectionIsTurnedDownByClosingIt() async throws {
        let listener = try listen { $0.close() }
        defer { listener.close() }
        let connection = try Connection.connect(to: path)
        await #expect(throws: ConduitError.disconnected(.closedByPeer)) {
            try await connection.call(Echo(Parcel()))
        }
    }

    @Test(.enabled(if: geteuid() == 0, "only root can become another user"))
    func anotherUserIsTurnedAwayBeforeAByteIsRead() throws {
        let connected = Mutex(0)
        let listener = try listen { _ in connected.withLock { $0 += 1 } }
        defer { listener.close() }
        // The permissions of the directory and the socket would already stop the other user.
        for (path, mode): (String, mode_t) in [
            (directory.path, 0o755), (directory.path + "/run", 0o755), (path, 0o666),
        ] {
            try #require(chmod(path, mode) == 0)
        }
        #expect(try PeerProcess.stranger(at: path) == .exited(0))
        #expect(connected.withLock { $0 } == 0)
    }

    @Test func aSocketLeftOverByAProcessThatWasKilledIsReplaced() async throws {
        let process = try PeerProcess.listening(at: path)
        try process.descriptor.send(signal: SIGKILL)
        _ = try process.program.wait()
        #expect(try FileStatus.of(path).kind == .socket)
        #expect(throws: ConduitError.system(.connectionRefused)) { try Connection.connect(to: path) }
        let listener = try listen()
        defer { listener.close() }
        let connection = try Connection.connect(to: path)
        defer { connection.close() }
        #expect(try await connection.call(Echo(Parcel(number: 1))).number == 1)
    }

    /// A killed process closes its socket only some time later, and the socket accepts connections until then.
    @Test func aSocketOfADeadProcessHasNoOwnerThoughItAcceptsConnections() async throws {
        try #require(mkdir(directory.path + "/run", 0o700) == 0)
        let dead = try DeadListener(at: path)
        #expect(throws: ConduitError.system(.connectionRefused)) { try Connection.connect(to: path) }
        #expect(throws: ListenerError.inUse(path: path)) { try listen() }
        // If the lock file is free although the socket still accepts, the listener does not wait.
        try #require(unlink(path + ".lock") == 0)
        let listener = try listen()
        defer { listener.close() }
        let connection = try Connection.connect(to: path)
        defer { connection.close() }
        #expect(try await connection.call(Echo(Parcel(number: 1))).number == 1)
        dead.close()
    }

    @Test func aPathThatIsListenedAtIsNotTaken() async throws {
        let process = try PeerProcess.listening(at: path)
        #expect(throws: ListenerError.inUse(path: path)) { try listen() }
        let connection = try Connection.connect(to: path)
        defer { connection.close() }
        #expect(try await connection.call(Status()).processID == process.program.processID)
    }

    @Test func aListenerThatDoesNotTakePartInTheLockIsNotReplaced() throws {
        try #require(mkdir(directory.path + "/run", 0o700) == 0)
        let socket = try SequencedPacketSocket.bound(to: LocalSocketAddress(path: path))
        try socket.listen()
        #expect(throws: ListenerError.inUse(path: path)) { try listen() }
    }

    @Test func aFileAtThePathIsLeftAlone() throws {
        try #require(mkdir(directory.path + "/run", 0o700) == 0)
        let file = try FileDescriptor.open(path, [.writeOnly, .create])
        try [UInt8]("mine".utf8).withUnsafeBytes { try file.writeAll($0) }
        #expect(throws: ListenerError.notASocket(path: path)) { try listen() }
        #expect(try FileStatus.of(path).size == 4)
    }

    @Test func aFolderThatOthersMayEnterIsRefused() throws {
        try #require(mkdir(directory.path + "/run", 0o700) == 0)
        try #require(chmod(directory.path + "/run", 0o750) == 0)
        #expect(throws: ListenerError.unsafeDirectory(path: directory.path + "/run")) { try listen() }
    }

    @Test func aFolderThatIsMissingHigherUpIsReported() {
        let path = directory.path + "/a/b/daemon.socket"
        #expect(throws: ListenerError.system(.noSuchFile, path: directory.path + "/a/b")) { try listen(at: path) }
    }

    @Test func aPathThatIsTooLongForASocketWorks() async throws {
        var path = directory.path
        for _ in 0..<4 {
            path += "/" + String(repeating: "d", count: 60)
            try #require(mkdir(path, 0o700) == 0)
        }
        path += "/daemon.socket"
        let listener = try listen(at: path)
        defer { listener.close() }
        let connection = try Connection.connect(to: path)
        defer { connection.close() }
        #expect(try await connection.call(Echo(Parcel(number: 1))).number == 1)
    }

    @Test func aNameThatIsTooLongForASocketIsReported() {
        let path = directory.path + "/run/" + String(repeating: "n", count: 200)
        #expect(throws: ListenerError.system(.nameTooLong, path: path)) { try listen(at: path) }
        #expect(throws: ConduitError.self) { try Connection.connect(to: path) }
    }

    @Test func connectingWhereThereIsNothingIsReported() {
        #expect(throws: ConduitError.system(.noSuchFile)) { try Connection.connect(to: directory.path + "/none") }
    }

    @Test func aClosedListenerTakesItsSocketAway() async throws {
        let listener = try listen()
        let connection = try Connection.connect(to: path)
        defer { connection.close() }
        _ = try await connection.call(Echo(Parcel()))
        listener.close()
        try await eventually { (try? FileStatus.of(path)) == nil }
        // Existing connections continue.
        #expect(try await connection.call(Echo(Parcel(number: 2))).number == 2)
        // The path becomes free again.
        try await eventually {
            guard let again = try? listen() else { return false }
            again.close()
            return true
        }
    }

    @Test func aListenerOutOfDescriptorsGoesOnWhenItHasSomeAgain() async throws {
        let process = try PeerProcess.listening(at: path)
        let first = try Connection.connect(to: path)
        defer { first.close() }
        _ = try await first.call(LimitDescriptors(spare: 0))
        let waiting = try (0..<5).map { _ in try Connection.connect(to: path) }
        defer { for connection in waiting { connection.close() } }
        let answers = waiting.map { connection in
            let answer = Expectation<Result<Parcel, ConduitError>>()
            connection.call(Echo(Parcel(number: 3))) { answer.fulfill($0) }
            return answer
        }
        // The connected client is served meanwhile.
        for _ in 0..<100 { _ = try await first.call(Echo(Parcel())) }
        #expect(answers.allSatisfy { $0.count == 0 })
        _ = try await first.call(LimitDescriptors(spare: 100))
        for answer in answers { #expect(try await answer.value().get().number == 3) }
        withExtendedLifetime(process) {}
    }

    @Test func aHundredProcessesWorthOfConnectionsAreTaken() async throws {
        let listener = try listen()
        defer { listener.close() }
        let path = path
        let sum = try await withThrowingTaskGroup(of: Int64.self) { group in
            for number in 0..<100 {
                let connection = try Connection.connect(to: path)
                group.addTask {
                    defer { connection.close() }
                    return try await connection.call(Echo(Parcel(number: Int64(number)))).number
                }
            }
            return try await group.reduce(0, +)
        }
        #expect(sum == 99 * 100 / 2)
    }
}
