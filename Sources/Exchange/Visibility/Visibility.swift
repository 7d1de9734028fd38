import LinuxSystem

/// Who may load a representation. The raw values are those of `NSItemProviderRepresentationVisibility`.
package enum Visibility: Int, Sendable {
    /// Every process of the same user.
    case all = 0
    /// Processes whose registered bundle names the same team. The desktop's `group` means the same as the `team` of
    /// the other platforms.
    case team = 1
    case group = 2
    /// The process that offers it, and no other.
    case ownProcess = 3
}

/// A process as the system describes it. Nothing in it was said by the process itself.
package struct ProcessIdentity: Hashable, Sendable {
    package let user: UInt32
    /// The process itself, not its number, which another process may have tomorrow: the identity of the process
    /// descriptor's file where the kernel gives each process one, else the number with the time at which it started.
    package let process: ProcessKey

    package init(user: UInt32, process: ProcessKey) {
        self.user = user
        self.process = process
    }
}

/// What tells one process from every other that ever ran since the machine started.
package enum ProcessKey: Hashable, Sendable {
    /// The inode of the process descriptor (Linux 6.9 and later).
    case descriptor(FileStatus.Identity)
    /// The number and the start time in clock ticks since boot.
    case started(pid: Int32, ticks: UInt64)
    /// It ended before it could be looked at, so it is the same as no other. The number is of this daemon's own making.
    case unknown(UInt64)
}

/// A process that asks or offers, with what its registered bundle says of it.
package struct Participant: Sendable {
    package let identity: ProcessIdentity
    /// The team that the registered bundle of its executable declares; `nil` for everything that is not registered.
    package let team: String?

    package init(identity: ProcessIdentity, team: String?) {
        self.identity = identity
        self.team = team
    }
}

extension Visibility {
    /// Whether a process may load what another one offers with this visibility (DESIGN, "Who is asking").
    package func permits(_ asker: Participant, to provider: Participant) -> Bool {
        guard asker.identity.user == provider.identity.user else { return false }
        switch self {
        case .all:
            return true
        case .team, .group:
            // A process always sees what it offers itself, with or without a team.
            if asker.identity == provider.identity { return true }
            guard let team = asker.team, !team.isEmpty else { return false }
            return team == provider.team
        case .ownProcess:
            return asker.identity == provider.identity
        }
    }
}
