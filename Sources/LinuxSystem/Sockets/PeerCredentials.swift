import CLinux
import Glibc

/// Who is at the other end of a local socket, as the kernel recorded it when the connection was made.
///
/// For a connected pair both ends report the process that made the pair, whoever holds the ends now.
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
    /// The peer's credentials (`SO_PEERCRED`).
    package func peerCredentials() throws(Errno) -> PeerCredentials {
        var peer = clinux_peer()
        try retrying { clinux_peer_credentials(descriptor.rawValue, &peer) }
        return PeerCredentials(processID: peer.pid, userID: peer.uid, groupID: peer.gid)
    }

    /// The process that connected, by descriptor, or `nil` when it has ended or cannot be told for certain.
    ///
    /// Since Linux 6.5 the kernel gives a descriptor of the very process (`SO_PEERPIDFD`). Before that it is opened
    /// by number, right after accepting, and taken only if the process of that number is older than this call and
    /// the socket has not been hung up: so a number that was recycled when the peer ended is not taken for the peer.
    package func peerProcess() throws(Errno) -> ProcessDescriptor? {
        let credentials = try peerCredentials()
        let direct = clinux_peer_pidfd(descriptor.rawValue)
        if direct >= 0 {
            return ProcessDescriptor(FileDescriptor(owning: direct), processID: credentials.processID)
        }
        switch Errno.current {
        case Errno(rawValue: ENOPROTOOPT): return try peerProcessByNumber(credentials.processID)
        // The ways in which kernels have said that the process has ended.
        case .noSuchProcess, .invalidArgument, .noData: return nil
        case let error: throw error
        }
    }

    /// Whether the process that listened has ended, or is about to. Not where that cannot be told.
    var isOfDying: Bool {
        do throws(Errno) {
            if let process = try peerProcess() { return process.isDying }
            // One that is in another space of numbers has none here.
            return try peerCredentials().processID != 0
        } catch {
            return false
        }
    }

    /// The fallback of `peerProcess()` for kernels without `SO_PEERPIDFD`.
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
