import Glibc
import LinuxSystem

/// A registrar that sends requests to a `purvey-passthrough` process, which has the privilege that this process lacks.
package final class HelperRegistrar: BackingRegistrar {
    private static let timeoutMilliseconds: CInt = 2000
    /// The timeout for the helper's first message. It is longer than the timeout for later messages, because the helper
    /// starts a process for each connection.
    private static let firstTimeoutMilliseconds: CInt = 10_000

    // The lock is held during a request, so that only one request is under way at a time. Leaf lock.
    private let socket: Lock<SequencedPacketSocket>

    package init(_ path: String, _ device: FileDescriptor) throws(Errno) {
        let connection = try SequencedPacketSocket.connect(to: LocalSocketAddress(path: path))
        // The helper receives the device of the session and descriptors of files. Therefore it must run as root or as
        // this user, regardless of the path.
        let owner = try connection.peerCredentials().userID
        guard owner == 0 || owner == getuid() else { throw .notPermitted }
        try connection.waitForPacket(milliseconds: Self.firstTimeoutMilliseconds)
        var welcome: PassthroughMessage.Welcome = 0
        try connection.receive(value: &welcome)
        guard welcome >= 0 else { throw Errno(rawValue: -CInt(welcome)) }
        socket = Lock(connection)
        _ = try perform(PassthroughMessage.greeting, 0, device)
    }

    package func open(_ file: FileDescriptor) throws(Errno) -> Int32 { try perform(PassthroughMessage.open, 0, file) }

    package func close(_ identifier: Int32) {
        // If the helper has ended, the kernel keeps the file until the session ends.
        HandlerThreads.shared.run { _ = try? self.perform(PassthroughMessage.close, identifier, nil) }
    }

    private func perform(_ operation: Int32, _ number: Int32, _ file: FileDescriptor?) throws(Errno) -> Int32 {
        try socket.withLock { socket throws(Errno) in
            let request: PassthroughMessage.Request = (operation, number)
            try socket.send(value: request, descriptors: file.map { [$0] } ?? [])
            do throws(Errno) {
                try socket.waitForPacket(milliseconds: Self.timeoutMilliseconds)
            } catch {
                // The connection is shut down, because a late reply would be taken for the reply to the next request.
                socket.shutDown()
                throw error
            }
            var reply: PassthroughMessage.Reply = 0
            try socket.receive(value: &reply)
            guard reply >= 0 else { throw Errno(rawValue: -reply) }
            return reply
        }
    }
}
