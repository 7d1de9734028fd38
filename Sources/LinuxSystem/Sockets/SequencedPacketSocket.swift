import CLinux
import Glibc

/// One end of a local `SOCK_SEQPACKET` connection. Packets keep their boundaries and order, and descriptors can be sent
/// with a packet.
///
/// No function blocks, except `connect`, and no function raises SIGPIPE. Any thread may call any function.
package struct SequencedPacketSocket: Sendable {
    /// The maximum number of descriptors in a packet that this process sends.
    package static let descriptorLimit = 64
    /// The maximum number of descriptors in a packet that any process can send: the kernel's SCM_MAX_FD.
    static let receivedDescriptorLimit = 253

    package let descriptor: FileDescriptor

    /// Creates a socket from a descriptor that is known to be a `SOCK_SEQPACKET` socket.
    package init(_ descriptor: FileDescriptor) {
        self.descriptor = descriptor
    }

    /// Creates a socket from a descriptor, after checking that it is a `SOCK_SEQPACKET` socket.
    ///
    /// - Throws: `wrongSocketType` if it is a socket of another type, `notASocket` if it is not a socket.
    package init(checking descriptor: FileDescriptor) throws(Errno) {
        guard try descriptor.socketOption(SO_DOMAIN) == AF_UNIX,
            try descriptor.socketOption(SO_TYPE) == CInt(SOCK_SEQPACKET.rawValue)
        else { throw .wrongSocketType }
        self.descriptor = descriptor
    }

    /// Creates two sockets that are connected to each other. Both sockets report this process as their peer.
    package static func pair() throws(Errno) -> (SequencedPacketSocket, SequencedPacketSocket) {
        var ends: (CInt, CInt) = (-1, -1)
        try retrying {
            withUnsafeMutableBytes(of: &ends) { ends in
                clinux_seqpacket_pair(ends.baseAddress?.assumingMemoryBound(to: CInt.self))
            }
        }
        return (.init(FileDescriptor(owning: ends.0)), .init(FileDescriptor(owning: ends.1)))
    }

    /// Sets whether the kernel allows a peer to send descriptors to this socket (`SO_PASSRIGHTS`, Linux 6.16). Accepted
    /// connections inherit the setting of the listening socket. The function has no effect on earlier kernels.
    package func setTakesDescriptors(_ takes: Bool) {
        // SO_PASSRIGHTS is 83. Older kernels fail with ENOPROTOOPT.
        try? descriptor.setSocketOption(83, to: takes ? 1 : 0)
    }

    /// Shuts down both directions. Packets that have already arrived can still be received. After these packets, both
    /// sides receive the end of input.
    package func shutDown() {
        // Fails only if the socket is not connected any more.
        _ = shutdown(descriptor.rawValue, CInt(SHUT_RDWR))
    }

    /// Whether the peer has closed its end.
    package var isHungUp: Bool {
        var request = pollfd(fd: descriptor.rawValue, events: 0, revents: 0)
        guard let ready = try? retrying({ poll(&request, 1, 0) }), ready > 0 else { return false }
        return request.revents & CShort(POLLHUP | POLLERR) != 0
    }
}

extension FileDescriptor {
    /// Returns an integer option of level SOL_SOCKET. The corresponding C function is `getsockopt`.
    package func socketOption(_ option: CInt) throws(Errno) -> CInt {
        var value: CInt = 0
        var length = socklen_t(MemoryLayout<CInt>.size)
        try retrying { getsockopt(rawValue, SOL_SOCKET, option, &value, &length) }
        return value
    }

    /// Sets an integer option of level SOL_SOCKET. The corresponding C function is `setsockopt`.
    package func setSocketOption(_ option: CInt, to value: CInt) throws(Errno) {
        var value = value
        try retrying { setsockopt(rawValue, SOL_SOCKET, option, &value, socklen_t(MemoryLayout<CInt>.size)) }
    }
}
