import CLinux
import Glibc

/// One end of a local `SOCK_SEQPACKET` connection: packets keep their borders and order, and carry descriptors.
///
/// No operation blocks and none raises SIGPIPE. Any thread may use any operation.
package struct SequencedPacketSocket: Sendable {
    /// The most descriptors that one packet carries when this side sends it.
    package static let descriptorLimit = 64
    /// The most descriptors that one packet carries, whoever sends it: the kernel's SCM_MAX_FD.
    static let receivedDescriptorLimit = 253

    package let descriptor: FileDescriptor

    /// Takes a descriptor that is known to be such a socket.
    package init(_ descriptor: FileDescriptor) {
        self.descriptor = descriptor
    }

    /// Takes a descriptor that came from elsewhere, after making sure that it is such a socket.
    package init(checking descriptor: FileDescriptor) throws(Errno) {
        guard try descriptor.socketOption(SO_DOMAIN) == AF_UNIX,
            try descriptor.socketOption(SO_TYPE) == CInt(SOCK_SEQPACKET.rawValue)
        else { throw .wrongSocketType }
        self.descriptor = descriptor
    }

    /// Two sockets connected to each other. Credentials asked of either are those of the process that made the pair.
    package static func pair() throws(Errno) -> (SequencedPacketSocket, SequencedPacketSocket) {
        var ends: (CInt, CInt) = (-1, -1)
        try retrying {
            withUnsafeMutableBytes(of: &ends) { ends in
                clinux_seqpacket_pair(ends.baseAddress?.assumingMemoryBound(to: CInt.self))
            }
        }
        return (.init(FileDescriptor(owning: ends.0)), .init(FileDescriptor(owning: ends.1)))
    }

    /// Says whether descriptors may be sent to this socket (`SO_PASSRIGHTS`, Linux 6.16). Connections that a
    /// listening socket accepts begin with what it has. Before that kernel nothing changes.
    package func setTakesDescriptors(_ takes: Bool) {
        // SO_PASSRIGHTS is 83; older kernels answer that there is no such option.
        try? descriptor.setSocketOption(83, to: takes ? 1 : 0)
    }

    /// Ends both directions. Packets already received can still be read; then comes the end. The peer sees the end.
    package func shutDown() {
        // Failing means that it is not connected any more, which is what was wanted.
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
    /// An integer option of the socket level. The corresponding C function is `getsockopt`.
    package func socketOption(_ option: CInt) throws(Errno) -> CInt {
        var value: CInt = 0
        var length = socklen_t(MemoryLayout<CInt>.size)
        try retrying { getsockopt(rawValue, SOL_SOCKET, option, &value, &length) }
        return value
    }

    /// Sets an integer option of the socket level. The corresponding C function is `setsockopt`.
    package func setSocketOption(_ option: CInt, to value: CInt) throws(Errno) {
        var value = value
        try retrying { setsockopt(rawValue, SOL_SOCKET, option, &value, socklen_t(MemoryLayout<CInt>.size)) }
    }
}
