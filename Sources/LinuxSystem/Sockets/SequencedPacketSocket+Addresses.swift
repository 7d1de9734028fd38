import CLinux
import Glibc

extension SequencedPacketSocket {
    /// Connects to a listening socket.
    ///
    /// Blocks only if the listener's backlog is full, and at most for `timeoutMilliseconds`. Must not be called on a
    /// thread that must never block.
    ///
    /// - Throws: `noSuchFile` if the path does not exist, `timedOut` if the backlog stays full, or `connectionRefused`
    ///   if no process listens. Also `connectionRefused` if the listening process is ending, because its socket accepts
    ///   connections until the kernel has closed the socket.
    package static func connect(
        to address: LocalSocketAddress, timeoutMilliseconds: Int = 10_000
    ) throws(Errno) -> SequencedPacketSocket {
        let descriptor = FileDescriptor(owning: try retrying { clinux_seqpacket_socket() })
        try descriptor.connect(to: address, timeoutMilliseconds: timeoutMilliseconds)
        let socket = SequencedPacketSocket(descriptor)
        guard !socket.isOfDying else { throw .connectionRefused }
        return socket
    }

    /// Creates a socket that is bound to an address and does not listen yet.
    ///
    /// - Throws: `addressInUse` if another socket has the address.
    package static func bound(to address: LocalSocketAddress) throws(Errno) -> SequencedPacketSocket {
        let descriptor = FileDescriptor(owning: try retrying { clinux_seqpacket_socket() })
        try retrying { address.withSocketAddress { Glibc.bind(descriptor.rawValue, $0, $1) } }
        return SequencedPacketSocket(descriptor)
    }

    /// Starts listening, with the largest backlog that the system allows.
    package func listen() throws(Errno) {
        try retrying { Glibc.listen(descriptor.rawValue, CInt.max) }
    }

    /// Accepts a pending connection.
    ///
    /// - Throws: `wouldBlock` if no connection is pending.
    package func accept() throws(Errno) -> SequencedPacketSocket {
        SequencedPacketSocket(FileDescriptor(owning: try retrying { clinux_accept(descriptor.rawValue) }))
    }
}
