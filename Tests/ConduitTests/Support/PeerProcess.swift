import Conduit
import Foundation
import Glibc
import LinuxSystem

/// A process of the program ConduitPeer. It is killed when its object is released, if it has not ended before.
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

    /// Stops the process and returns once none of its threads runs. Sending the signal alone does not wait for that.
    func stop() throws {
        try descriptor.send(signal: SIGSTOP)
        var information = siginfo_t()
        try retrying { waitid(P_PID, id_t(program.processID), &information, WSTOPPED) }
    }

    /// Starts a process with one end of a socket pair as its descriptor 3, and returns the other end. No other
    /// process has that end, so it closes with the process.
    private static func start(_ arguments: [String]) throws -> (PeerProcess, SequencedPacketSocket) {
        let (near, far) = try SequencedPacketSocket.pair()
        return (try PeerProcess(arguments, channel: far.descriptor), near)
    }

    /// Starts a process that answers calls, and returns it with a connection to it.
    static func answering(
        service: Service = Service(), limits: ConnectionLimits = .init()
    ) throws -> (PeerProcess, Connection) {
        let (process, socket) = try start(["answer"])
        return (process, try Connection(socket, service: service, limits: limits))
    }

    /// Starts a process, and waits until it listens at a path.
    static func listening(at path: String) throws -> PeerProcess {
        let (process, socket) = try start(["listen", path])
        try socket.descriptor.waitUntilReadable()
        return process
    }

    /// Runs a process of another user that tries to connect, and returns how it ended.
    static func stranger(at path: String) throws -> ChildProgram.Ending {
        let (process, _) = try start(["stranger", path])
        try process.descriptor.descriptor.waitUntilReadable()
        return try process.program.wait()
    }

    /// Runs a process of another user that sends more descriptors than it may have in flight, after a number of large
    /// calls, and returns how it ended.
    static func crowd(after large: Int) throws -> ChildProgram.Ending {
        let (process, _) = try start(["crowd", "\(large)"])
        try process.descriptor.descriptor.waitUntilReadable()
        return try process.program.wait()
    }

    /// The path of the program, which is built beside the tests.
    private static let path: String = {
        let own = (try? FileDescriptor.open("/proc/self/exe", .pathOnly).path) ?? ""
        // The test runner may be a program of the toolchain. Then the tests are a library among its arguments.
        for path in [own] + CommandLine.arguments {
            let candidate = (path as NSString).deletingLastPathComponent + "/ConduitPeer"
            if access(candidate, X_OK) == 0 { return candidate }
        }
        return "ConduitPeer"
    }()
}

extension FileDescriptor {
    /// Waits until data or the end of the stream can be read.
    func waitUntilReadable() throws(Errno) {
        var waiting = pollfd(fd: rawValue, events: CShort(POLLIN), revents: 0)
        try retrying { poll(&waiting, 1, -1) }
    }
}
