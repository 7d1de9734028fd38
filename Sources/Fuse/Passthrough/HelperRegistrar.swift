import Glibc
import LinuxSystem

/// A `purvey-passthrough`, which has the right that this process lacks.
package final class HelperRegistrar: BackingRegistrar {
    private static let patienceMilliseconds: CInt = 2000
    /// It starts a process for each connection.
    private static let patienceAtFirstMilliseconds: CInt = 10_000

    // One question at a time. Innermost.
    private let socket: Lock<SequencedPacketSocket>

    package init(_ path: String, _ device: FileDescriptor) throws(Errno) {
        let connection = try SequencedPacketSocket.connect(to: LocalSocketAddress(path: path))
        // It is handed the session and files: nobody else gets those, wherever the path may lead.
        let owner = try connection.peerCredentials().userID
        guard owner == 0 || owner == getuid() else { throw .notPermitted }
        try connection.waitForPacket(milliseconds: Self.patienceAtFirstMilliseconds)
        var welcome: PassthroughMessage.Welcome = 0
        try connection.receive(value: &welcome)
        guard welcome >= 0 else { throw Errno(rawValue: -CInt(welcome)) }
        socket = Lock(connection)
        _ = try ask(PassthroughMessage.greeting, 0, device)
    }

    package func open(_ file: FileDescriptor) throws(Errno) -> Int32 { try ask(PassthroughMessage.open, 0, file) }

    package func close(_ identifier: Int32) {
        // Where the helper has gone, the kernel keeps the file until the session ends.
        HandlerThreads.shared.run { _ = try? self.ask(PassthroughMessage.close, identifier, nil) }
    }

    private func ask(_ what: Int32, _ number: Int32, _ file: FileDescriptor?) throws(Errno) -> Int32 {
        try socket.withLock { socket throws(Errno) in
            let question: PassthroughMessage.Question = (what, number)
            try socket.send(value: question, descriptors: file.map { [$0] } ?? [])
            do throws(Errno) {
                try socket.waitForPacket(milliseconds: Self.patienceMilliseconds)
            } catch {
                // What it says after that would be taken for the next answer.
                socket.shutDown()
                throw error
            }
            var answer: PassthroughMessage.Answer = 0
            try socket.receive(value: &answer)
            guard answer >= 0 else { throw Errno(rawValue: -answer) }
            return answer
        }
    }
}
