import CLinux
import Glibc

extension SequencedPacketSocket {
    /// Connects to a listening socket.
    ///
    /// Returns at once unless the listener has as many unaccepted connections as it allows; then it waits for room,
    /// and fails with `timedOut` after the given time. Not for threads that may never wait.
    ///
    /// Fails with `noSuchFile` when there is no such path and with `connectionRefused` when nobody listens there: not even
    /// one who is dying, whose socket takes connections that nobody serves until the last of it is closed.
    package static func connect(
        to address: LocalSocketAddress, timeoutMilliseconds: Int = 10_000
    ) throws(Errno) -> SequencedPacketSocket {
        let descriptor = FileDescriptor(owning: try retrying { clinux_seqpacket_socket() })
        try descriptor.connect(to: address, timeoutMilliseconds: timeoutMilliseconds)
        let socket = SequencedPacketSocket(descriptor)
        guard !socket.isOfDying else { throw .connectionRefused }
        return socket
    }

    /// A socket bound to an address that must be free, not listening yet. Fails with `addressInUse` when it is not.
    package static func bound(to address: LocalSocketAddress) throws(Errno) -> SequencedPacketSocket {
        let descriptor = FileDescriptor(owning: try retrying { clinux_seqpacket_socket() })
        try retrying { address.withSocketAddress { Glibc.bind(descriptor.rawValue, $0, $1) } }
        return SequencedPacketSocket(descriptor)
    }

    /// Starts taking connections, with as many waiting as the system allows.
    package func listen() throws(Errno) {
        try retrying { Glibc.listen(descriptor.rawValue, CInt.max) }
    }

    /// Takes a waiting connection. Fails with `wouldBlock` when there is none.
    package func accept() throws(Errno) -> SequencedPacketSocket {
        SequencedPacketSocket(FileDescriptor(owning: try retrying { clinux_accept(descriptor.rawValue) }))
    }
}
