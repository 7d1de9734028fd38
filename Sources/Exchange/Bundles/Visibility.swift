import CLinux
import Conduit
import LinuxSystem

/// The processes that may load a representation. The raw values are those of
/// `NSItemProviderRepresentationVisibility`.
package enum Visibility: Int, Sendable {
    /// Every process of the user.
    case all = 0
    /// Processes whose registered bundle has the same team as the offering process. `group`, which exists for desktop
    /// programs, means the same as `team`.
    case team = 1
    case group = 2
    /// Only the process that offers the representation.
    case ownProcess = 3
}

/// The identity of a process, as the kernel reports it. A process cannot forge it.
package struct ProcessIdentity: Hashable, Sendable {
    package let user: UInt32
    /// A key that is unique to the process, unlike the process ID, which may be reused. It is the identity of the
    /// process descriptor's file, if the kernel supports this. Otherwise, it is the process ID with the start time.
    package let process: ProcessKey

    package init(user: UInt32, process: ProcessKey) {
        self.user = user
        self.process = process
    }
}

/// A key that distinguishes a process from all other processes since the machine was started.
package enum ProcessKey: Hashable, Sendable {
    /// The identity of the inode of the process descriptor (Linux 6.9 and later).
    case descriptor(FileStatus.Identity)
    /// The process ID, and the start time in clock ticks since boot.
    case started(pid: Int32, ticks: UInt64)
    /// A process that ended before it could be examined. The daemon assigns a unique number, so that the key equals no
    /// other key.
    case unknown(UInt64)
}

/// A process that offers an item, or that wants to load one, with the team of its registered bundle.
package struct Participant: Sendable {
    package let identity: ProcessIdentity
    /// The team that the registered bundle of the process's executable declares; `nil` if there is no such bundle, or
    /// if it declares no team.
    package let team: String?

    package init(identity: ProcessIdentity, team: String?) {
        self.identity = identity
        self.team = team
    }
}

extension Visibility {
    /// Whether the process `asker` may load a representation that the process `provider` offers with this visibility.
    package func permits(_ asker: Participant, to provider: Participant) -> Bool {
        guard asker.identity.user == provider.identity.user else { return false }
        switch self {
        case .all:
            return true
        case .team, .group:
            // A process always sees its own offers, with or without a team.
            if asker.identity == provider.identity { return true }
            guard let team = asker.team, !team.isEmpty else { return false }
            return team == provider.team
        case .ownProcess:
            return asker.identity == provider.identity
        }
    }
}

extension Peer {
    /// Returns the identity of the process at the other end of the connection.
    ///
    /// - Parameter unknown: A unique number, to be used if the process ended before it could be examined.
    package func identity(orUnknown unknown: UInt64) -> ProcessIdentity {
        ProcessIdentity(user: credentials.userID, process: process?.key ?? .unknown(unknown))
    }
}

extension ProcessDescriptor {
    /// The type number of the file system of process descriptors, in which each process has its own inode (Linux 6.9).
    private static let pidfs: Int64 = 0x5049_4446

    package var key: ProcessKey? {
        if clinux_filesystem_type(descriptor.rawValue) == Self.pidfs, let status = try? descriptor.status() {
            return .descriptor(status.identity)
        }
        return startTicks().map { .started(pid: processID, ticks: $0) }
    }
}
