import ItemProvider

/// The processes to which a representation is visible.
public struct TransferRepresentationVisibility: Sendable, Equatable {
    let itemProviderVisibility: NSItemProviderRepresentationVisibility

    /// Every process of the user.
    public static let all = TransferRepresentationVisibility(itemProviderVisibility: .all)
    /// Processes of the same team.
    public static let team = TransferRepresentationVisibility(itemProviderVisibility: .team)
    /// Processes of the same team, by the name it has on macOS.
    public static let group = TransferRepresentationVisibility(itemProviderVisibility: .group)
    /// This process alone.
    public static let ownProcess = TransferRepresentationVisibility(itemProviderVisibility: .ownProcess)

    /// Whether a process that is as close as `viewer` says may see a representation of this visibility.
    func includes(_ viewer: TransferRepresentationVisibility) -> Bool { closeness <= viewer.closeness }

    /// Returns the stricter of two visibilities.
    func restricted(to other: TransferRepresentationVisibility) -> TransferRepresentationVisibility {
        closeness >= other.closeness ? self : other
    }

    /// The required closeness of a process. `group` is the same as `team` on Linux.
    private var closeness: Int {
        switch itemProviderVisibility {
        case .all: 0
        case .team, .group: 1
        case .ownProcess: 2
        }
    }
}
