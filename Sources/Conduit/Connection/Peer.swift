import LinuxSystem

/// The other end of a connection, as the kernel reports it.
///
/// On a connection over an inherited or received socket, it is the process that created the socket pair. That need
/// not be the process that uses the other end now.
package struct Peer: Sendable {
    package let credentials: PeerCredentials
    /// A descriptor of the process, which is safe against reuse of its PID. `nil` if the process has ended already,
    /// if it cannot be determined reliably, or if the connection was not made through a path.
    package let process: ProcessDescriptor?

    init(of socket: SequencedPacketSocket, identifyingProcess: Bool) throws(Errno) {
        credentials = try socket.peerCredentials()
        process = identifyingProcess ? try socket.peerProcess() : nil
    }

    /// Returns the program that the peer runs at this moment. A process can change its program, so call this when it
    /// matters.
    package func executable() throws(Errno) -> ProcessDescriptor.Executable {
        guard let process else { throw .noSuchProcess }
        return try process.executable()
    }
}
