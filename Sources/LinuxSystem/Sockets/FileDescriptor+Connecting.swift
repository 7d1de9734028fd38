import CLinux
import Glibc

extension FileDescriptor {
    /// Returns a blocking stream socket that is connected to another program's listening socket.
    ///
    /// Waits for a full backlog, and fails, as ``SequencedPacketSocket/connect(to:timeoutMilliseconds:)`` does.
    package static func connectedStream(to address: LocalSocketAddress) throws(Errno) -> FileDescriptor {
        let kind = CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        let stream = FileDescriptor(owning: try retrying { socket(AF_UNIX, kind, 0) })
        try stream.connect(to: address, timeoutMilliseconds: 10_000)
        return stream
    }

    /// Connects a local socket. If the listener's backlog is full, waits for room, and fails with `timedOut` after
    /// the given time.
    func connect(to address: LocalSocketAddress, timeoutMilliseconds: Int) throws(Errno) {
        let flags = try retrying { fcntl(rawValue, F_GETFL) }
        // A non-blocking connect(2) fails with EAGAIN if the backlog is full, and poll(2) cannot wait for room. A
        // blocking one with a send timeout can.
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

    /// Sets the time that a blocking write or connect may wait (SO_SNDTIMEO). 0 means no limit.
    private func setSendTimeout(milliseconds: Int) throws(Errno) {
        var timeout = timeval(tv_sec: milliseconds / 1000, tv_usec: (milliseconds % 1000) * 1000)
        try retrying {
            setsockopt(rawValue, SOL_SOCKET, SO_SNDTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
        }
    }
}
