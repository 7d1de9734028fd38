import LinuxSystem

/// Who is at the other end of a connection, as the kernel says.
///
/// On a connection over a socket that this process was handed, it is the process that made the socket pair, which
/// need not be the one that uses the other end now.
package struct Peer: Sendable {
    package let credentials: PeerCredentials
    /// The process, so that a recycled number fools nobody, or `nil` when it has ended already, when it cannot be
    /// told for certain, or when the connection was not made through a path.
    package let process: ProcessDescriptor?

    init(of socket: SequencedPacketSocket, identifyingProcess: Bool) throws(Errno) {
        credentials = try socket.peerCredentials()
        process = identifyingProcess ? try socket.peerProcess() : nil
    }

    /// The program the peer runs at this moment. Ask when it matters: a process can change its program.
    package func executable() throws(Errno) -> ProcessDescriptor.Executable {
        guard let process else { throw .noSuchProcess }
        return try process.executable()
    }
}
