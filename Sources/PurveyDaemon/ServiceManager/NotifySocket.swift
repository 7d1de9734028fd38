import CLinux
import Glibc
import LinuxSystem

/// The socket on which a service notifies its manager; see sd_notify(3). There are no replies.
struct NotifySocket: Sendable {
    private let path: String

    /// The timeout in milliseconds for the manager to read earlier messages.
    private static let patienceMilliseconds: CInt = 10_000

    /// Creates the socket's address. The socket is not accessed before the first message.
    ///
    /// - Parameter path: The value of `NOTIFY_SOCKET`.
    /// - Returns: `nil` if the path is not absolute, or too long for a socket.
    init?(path: String) {
        guard path.hasPrefix("/"), path.utf8.count <= LocalSocketAddress.pathLimit else { return nil }
        self.path = path
    }

    /// Sends a message, with a descriptor if the message concerns one. Waits for a limited time if the socket is full.
    func send(_ text: String, _ descriptor: FileDescriptor? = nil) throws(Errno) {
        // The socket is connected again for each message, because the manager may have been restarted.
        let kind = CInt(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let line = FileDescriptor(owning: try retrying { socket(AF_UNIX, kind, 0) })
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let size = socklen_t(MemoryLayout<sockaddr_un>.size)
        try retrying {
            withUnsafeBytes(of: &address) { bytes in
                connect(line.rawValue, bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self), size)
            }
        }
        let bytes = Array(text.utf8)
        let numbers = descriptor.map { [$0.rawValue] } ?? []
        defer { withExtendedLifetime(descriptor) {} }
        while true {
            do throws(Errno) {
                try retrying { clinux_send(line.rawValue, bytes, bytes.count, numbers, CInt(numbers.count)) }
                return
            } catch .wouldBlock {
                var waited = pollfd(fd: line.rawValue, events: CShort(POLLOUT), revents: 0)
                guard try retrying({ poll(&waited, 1, Self.patienceMilliseconds) }) > 0 else { throw .timedOut }
            }
        }
    }
}
