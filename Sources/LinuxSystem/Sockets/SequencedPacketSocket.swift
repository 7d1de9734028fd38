import CLinux
import Glibc

/// One end of a local `SOCK_SEQPACKET` connection. Packets keep their boundaries and order, and carry descriptors.
///
/// No operation blocks, except `connect`, and none raises SIGPIPE. Any thread may use any operation.
package struct SequencedPacketSocket: Sendable {
    /// The maximum number of descriptors in a packet that this process sends.
    package static let descriptorLimit = 64
    /// The maximum number of descriptors in a packet of any sender: the kernel's SCM_MAX_FD.
    static let receivedDescriptorLimit = 253

    package let descriptor: FileDescriptor

    /// Creates a socket from a descriptor that is known to be of this kind.
    package init(_ descriptor: FileDescriptor) {
        self.descriptor = descriptor
    }

    /// Creates a socket from a descriptor of unknown kind.
    ///
    /// - Throws: `wrongSocketType` if it is a socket of another kind, `notASocket` if it is not a socket.
    package init(checking descriptor: FileDescriptor) throws(Errno) {
        guard try descriptor.socketOption(SO_DOMAIN) == AF_UNIX,
            try descriptor.socketOption(SO_TYPE) == CInt(SOCK_SEQPACKET.rawValue)
        else { throw .wrongSocketType }
        self.descriptor = descriptor
    }

    /// Creates two sockets that are connected to each other. Both report this process's credentials.
    package static func pair() throws(Errno) -> (SequencedPacketSocket, SequencedPacketSocket) {
        var ends: (CInt, CInt) = (-1, -1)
        try retrying {
            withUnsafeMutableBytes(of: &ends) { ends in
                clinux_seqpacket_pair(ends.baseAddress?.assumingMemoryBound(to: CInt.self))
            }
        }
        return (.init(FileDescriptor(owning: ends.0)), .init(FileDescriptor(owning: ends.1)))
    }

    /// Sets whether descriptors may be sent to this socket (`SO_PASSRIGHTS`, Linux 6.16). Accepted connections
    /// inherit the setting of the listening socket. Has no effect on earlier kernels.
    package func setTakesDescriptors(_ takes: Bool) {
        // SO_PASSRIGHTS is 83. Older kernels fail with ENOPROTOOPT.
        try? descriptor.setSocketOption(83, to: takes ? 1 : 0)
    }

    /// Shuts down both directions. Packets that have arrived can still be received. After them, both sides receive
    /// the end of input.
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
