import CLinux
import Glibc

/// The process and user at the other end of a local socket, as the kernel recorded them when the connection was made.
///
/// For a socket pair, both ends report the process that created the pair, regardless of the present holders of the
/// ends.
package struct PeerCredentials: Hashable, Sendable {
    package let processID: pid_t
    package let userID: uid_t
    package let groupID: gid_t

    package init(processID: pid_t, userID: uid_t, groupID: gid_t) {
        self.processID = processID
        self.userID = userID
        self.groupID = groupID
    }
}

extension SequencedPacketSocket {
    /// Returns the peer's credentials (`SO_PEERCRED`).
    package func peerCredentials() throws(Errno) -> PeerCredentials {
        var peer = clinux_peer()
        try retrying { clinux_peer_credentials(descriptor.rawValue, &peer) }
        return PeerCredentials(processID: peer.pid, userID: peer.uid, groupID: peer.gid)
    }

    /// Returns a descriptor of the process that connected, or `nil` if it has ended or cannot be identified for
    /// certain.
    ///
    /// Since Linux 6.5 the kernel provides the descriptor (`SO_PEERPIDFD`). On earlier kernels the process is opened by
    /// its PID, which may have been reused since the peer ended. Therefore the process is returned only if it was
    /// started before this call and the peer has not closed the socket.
    package func peerProcess() throws(Errno) -> ProcessDescriptor? {
        let credentials = try peerCredentials()
        let direct = clinux_peer_pidfd(descriptor.rawValue)
        if direct >= 0 {
            return ProcessDescriptor(FileDescriptor(owning: direct), processID: credentials.processID)
        }
        switch Errno.current {
        case Errno(rawValue: ENOPROTOOPT): return try peerProcessByNumber(credentials.processID)
        // The errors with which various kernels report that the process has ended.
        case .noSuchProcess, .invalidArgument, .noData: return nil
        case let error: throw error
        }
    }

    /// Whether the listening process has ended or is ending. Also `true` if ``peerProcess()`` cannot identify the
    /// process although it is in this PID namespace. `false` if the process is in another PID namespace, or after an
    /// error.
    var isOfDying: Bool {
        do throws(Errno) {
            if let process = try peerProcess() { return process.isDying }
            // The PID of a process in another PID namespace is 0 in this one.
            return try peerCredentials().processID != 0
        } catch {
            return false
        }
    }

    /// Identifies the peer by its PID, for kernels without `SO_PEERPIDFD`.
    package func peerProcessByNumber(_ processID: pid_t) throws(Errno) -> ProcessDescriptor? {
        let asked = ProcessDescriptor.ticksSinceBoot()
        let process: ProcessDescriptor
        do {
            process = try ProcessDescriptor.open(processID)
        } catch .noSuchProcess {
            return nil
        }
        guard let started = process.startTicks(), started <= asked, !isHungUp, !process.hasEnded else { return nil }
        return process
    }
}
