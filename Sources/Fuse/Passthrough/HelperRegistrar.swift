import Glibc
import LinuxSystem

/// What a process says to `purvey-passthrough`, and hears from it. Each message is one packet.
package enum PassthroughMessage {
    /// Comes first, with the descriptor of a FUSE device.
    package static let greeting: Int32 = 0
    /// Comes with the descriptor of a backing file.
    package static let open: Int32 = 1
    /// Comes with the number of a backing file.
    package static let close: Int32 = 2

    /// What is asked for, and a number.
    package typealias Question = (what: Int32, number: Int32)
    /// Not negative, or an error number with its sign changed.
    package typealias Answer = Int32
}

/// A `purvey-passthrough`, which has the right that this process lacks.
final class HelperRegistrar: BackingRegistrar {
    private static let patienceMilliseconds: Int32 = 2000

    // One question at a time. Innermost.
    private let socket: Lock<SequencedPacketSocket>

    init(_ path: String, _ device: FileDescriptor) throws(Errno) {
        let connection = try SequencedPacketSocket.connect(to: LocalSocketAddress(path: path))
        // It is handed the session and files: nobody else gets those, wherever the path may lead.
        let owner = try connection.peerCredentials().userID
        guard owner == 0 || owner == getuid() else { throw .notPermitted }
        socket = Lock(connection)
        _ = try ask(PassthroughMessage.greeting, 0, device)
    }

    func open(_ file: FileDescriptor) throws(Errno) -> Int32 { try ask(PassthroughMessage.open, 0, file) }

    func close(_ identifier: Int32) {
        // Where the helper has gone, the kernel keeps the file until the session ends.
        _ = try? ask(PassthroughMessage.close, identifier, nil)
    }

    private func ask(_ what: Int32, _ number: Int32, _ file: FileDescriptor?) throws(Errno) -> Int32 {
        try socket.withLock { socket throws(Errno) in
            let question: PassthroughMessage.Question = (what, number)
            try withUnsafeBytes(of: question) { bytes throws(Errno) in
                try socket.send(bytes, descriptors: file.map { [$0] } ?? [])
            }
            var ready = pollfd(fd: socket.descriptor.rawValue, events: Int16(POLLIN), revents: 0)
            guard try retrying({ poll(&ready, 1, Self.patienceMilliseconds) }) > 0 else {
                // What it says after that would be taken for the next answer.
                socket.shutDown()
                throw .timedOut
            }
            var answer: PassthroughMessage.Answer = 0
            let packet = try withUnsafeMutableBytes(of: &answer) { bytes throws(Errno) in
                try socket.receive(into: bytes)
            }
            guard packet.byteCount == MemoryLayout<PassthroughMessage.Answer>.size else { throw .connectionReset }
            guard answer >= 0 else { throw Errno(rawValue: -answer) }
            return answer
        }
    }
}
