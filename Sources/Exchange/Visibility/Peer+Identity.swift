import CLinux
import Conduit
import LinuxSystem

extension Peer {
    /// Returns the identity of the process at the other end, which can be compared.
    ///
    /// - Parameter unknown: A unique number for a peer that ended before it could be examined.
    package func identity(orUnknown unknown: UInt64) -> ProcessIdentity {
        ProcessIdentity(user: credentials.userID, process: process?.key ?? .unknown(unknown))
    }
}

extension ProcessDescriptor {
    /// The type of the file system of process descriptors, in which each process has its own inode (Linux 6.9).
    private static let pidfs: Int64 = 0x5049_4446

    package var key: ProcessKey? {
        if clinux_filesystem_type(descriptor.rawValue) == Self.pidfs, let status = try? descriptor.status() {
            return .descriptor(status.identity)
        }
        return startTicks().map { .started(pid: processID, ticks: $0) }
    }
}
