import Fuse
import Glibc
import LinuxSystem
import ProgramTesting
import Testing

/// A `purvey-passthrough` for one test, which is attacked.
final class AttackedHelper: Sendable {
    private let socket: String
    private let program: ChildProgram
    var processID: pid_t { program.processID }

    /// - Parameter folder: a folder that only this test uses.
    init(in folder: String) async throws {
        let socket = folder + "/helper"
        self.socket = socket
        program = try ChildProgram.start(
            BuiltProgram.path("purvey-passthrough"), arguments: [socket], descriptors: [])
        try await eventually("the helper listens") { (try? FileStatus.of(socket).permissions) == 0o666 }
    }

    deinit {
        kill(program.processID, SIGKILL)
        _ = try? program.wait()
    }

    func connect() throws -> SequencedPacketSocket {
        try .connect(to: LocalSocketAddress(path: socket), timeoutMilliseconds: 300_000)
    }

    /// Returns a connection that the helper serves. Retries, because the helper limits the number of connections of a
    /// user per second.
    func servedConnection() async throws -> SequencedPacketSocket? {
        var served: SequencedPacketSocket?
        try await eventually("a connection is welcome") {
            let connection = try connect()
            try connection.waitForPacket(milliseconds: 300_000)
            var welcome = PassthroughMessage.Welcome.min
            try connection.receive(value: &welcome)
            if welcome == 0 { served = connection }
            return welcome == 0
        }
        return served
    }

    /// Sends a request as a correct client does.
    static func ask(
        _ connection: SequencedPacketSocket, _ what: Int32, _ file: FileDescriptor? = nil
    ) throws -> PassthroughMessage.Reply {
        let question: PassthroughMessage.Request = (what, 0)
        try connection.send(value: question, descriptors: file.map { [$0] } ?? [])
        try connection.waitForPacket(milliseconds: 300_000)
        var answer: PassthroughMessage.Reply = .min
        try connection.receive(value: &answer)
        return answer
    }
}
