import Conduit
import Foundation
import Glibc
import LinuxSystem

/// A process of the program ConduitPeer, killed at the latest when the last reference goes.
final class PeerProcess: Sendable {
    let program: ChildProgram
    let descriptor: ProcessDescriptor

    private init(_ arguments: [String], channel: FileDescriptor) throws {
        let errors = try FileDescriptor.copy(of: STDERR_FILENO)
        program = try ChildProgram.start(Self.path, arguments: arguments, descriptors: [nil, errors, errors, channel])
        descriptor = try ProcessDescriptor.open(program.processID)
    }

    deinit {
        try? descriptor.send(signal: SIGKILL)
        _ = try? program.wait()
    }

    /// Stops the process, and returns once none of its threads runs: sending the signal alone does not wait for that.
    func stop() throws {
        try descriptor.send(signal: SIGSTOP)
        var information = siginfo_t()
        try retrying { waitid(P_PID, id_t(program.processID), &information, WSTOPPED) }
    }

    /// Starts a process that has one end of a pair of sockets as its descriptor 3, and gives the other end, which
    /// nobody else has: it ends with the process.
    private static func start(_ arguments: [String]) throws -> (PeerProcess, SequencedPacketSocket) {
        let (near, far) = try SequencedPacketSocket.pair()
        return (try PeerProcess(arguments, channel: far.descriptor), near)
    }

    /// A process that answers calls, and the connection with it.
    static func answering(
        service: Service = Service(), limits: ConnectionLimits = .init()
    ) throws -> (PeerProcess, Connection) {
        let (process, socket) = try start(["answer"])
        return (process, try Connection(socket, service: service, limits: limits))
    }

    /// A process that listens at a path when this returns.
    static func listening(at path: String) throws -> PeerProcess {
        let (process, socket) = try start(["listen", path])
        try socket.descriptor.waitUntilReadable()
        return process
    }

    /// A process of another user that tries to connect. How it ended.
    static func stranger(at path: String) throws -> ChildProgram.Ending {
        let (process, _) = try start(["stranger", path])
        try process.descriptor.descriptor.waitUntilReadable()
        return try process.program.wait()
    }

    /// A process of another user that sends more descriptors than it may have on their way. How it ended.
    static func crowd() throws -> ChildProgram.Ending {
        let (process, _) = try start(["crowd"])
        try process.descriptor.descriptor.waitUntilReadable()
        return try process.program.wait()
    }

    /// The program is built beside the tests.
    private static let path: String = {
        let own = (try? FileDescriptor.open("/proc/self/exe", .pathOnly).path) ?? ""
        // The test runner may be a program of the toolchain; then the tests are a library that it was given.
        for path in [own] + CommandLine.arguments {
            let candidate = (path as NSString).deletingLastPathComponent + "/ConduitPeer"
            if access(candidate, X_OK) == 0 { return candidate }
        }
        return "ConduitPeer"
    }()
}

extension FileDescriptor {
    /// Waits until there is something to read, or the end of it.
    func waitUntilReadable() throws(Errno) {
        var waiting = pollfd(fd: rawValue, events: CShort(POLLIN), revents: 0)
        try retrying { poll(&waiting, 1, -1) }
    }
}
