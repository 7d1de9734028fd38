import CLinux
import Conduit
import LinuxSystem

extension Peer {
    /// The process at the other end, in a form that can be compared.
    ///
    /// - Parameter unknown: a number that is used for no other peer, for one that ended before it could be looked at.
    package func identity(orUnknown unknown: UInt64) -> ProcessIdentity {
        ProcessIdentity(user: credentials.userID, process: process?.key ?? .unknown(unknown))
    }
}

extension ProcessDescriptor {
    /// The file system of process descriptors, on which each process has an inode of its own (Linux 6.9).
    private static let pidfs: Int64 = 0x5049_4446

    package var key: ProcessKey? {
        if clinux_filesystem_type(descriptor.rawValue) == Self.pidfs, let status = try? descriptor.status() {
            return .descriptor(status.identity)
        }
        return startTicks().map { .started(pid: processID, ticks: $0) }
    }
}
