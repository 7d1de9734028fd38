import CLinux
import Glibc

extension FileDescriptor {
    /// A stream that is connected to a listening local socket of another program's, whose reads and writes wait.
    ///
    /// Waits for room and fails as ``SequencedPacketSocket/connect(to:timeoutMilliseconds:)`` does.
    package static func connectedStream(to address: LocalSocketAddress) throws(Errno) -> FileDescriptor {
        let kind = CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        let stream = FileDescriptor(owning: try retrying { socket(AF_UNIX, kind, 0) })
        try stream.connect(to: address, timeoutMilliseconds: 10_000)
        return stream
    }

    /// Connects a local socket. Waits for room where the listener has as many unaccepted connections as it allows, and fails with
    /// `timedOut` after the given time.
    func connect(to address: LocalSocketAddress, timeoutMilliseconds: Int) throws(Errno) {
        let flags = try retrying { fcntl(rawValue, F_GETFL) }
        // A non-blocking connect fails for good when the backlog is full, and nothing can be polled for room in it.
        // A blocking one with a send timeout waits for it.
        try retrying { fcntl(rawValue, F_SETFL, flags & ~O_NONBLOCK) }
        try setSendTimeout(milliseconds: timeoutMilliseconds)
        do {
            try retrying { address.withSocketAddress { Glibc.connect(rawValue, $0, $1) } }
        } catch {
            throw error == .wouldBlock ? .timedOut : error
        }
        try setSendTimeout(milliseconds: 0)
        try retrying { fcntl(rawValue, F_SETFL, flags) }
    }

    /// How long a write that waits may wait; 0 is for ever.
    private func setSendTimeout(milliseconds: Int) throws(Errno) {
        var timeout = timeval(tv_sec: milliseconds / 1000, tv_usec: (milliseconds % 1000) * 1000)
        try retrying {
            setsockopt(rawValue, SOL_SOCKET, SO_SNDTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
        }
    }
}
