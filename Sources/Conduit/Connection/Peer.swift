import LinuxSystem

/// The other end of a connection, as the kernel reports it.
///
/// If the socket was inherited or received, this is the process that created the socket pair. Another process may use
/// the other end now.
package struct Peer: Sendable {
    package let credentials: PeerCredentials
    /// A descriptor of the process, which stays valid when the process ID is reused. `nil` if the process has ended
    /// already, if it cannot be determined reliably, or if the connection was not made through a path.
    package let process: ProcessDescriptor?

    init(of socket: SequencedPacketSocket, identifyingProcess: Bool) throws(Errno) {
        credentials = try socket.peerCredentials()
        process = identifyingProcess ? try socket.peerProcess() : nil
    }

    /// Returns the program that the peer runs at this moment. A process can change its program, so the result is only
    /// valid for this moment.
    package func executable() throws(Errno) -> ProcessDescriptor.Executable {
        guard let process else { throw .noSuchProcess }
        return try process.executable()
    }
}
