import ItemProvider

/// Which processes a representation is shown to.
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

    /// Whether whoever is as close as the other visibility says may see what has this one.
    func includes(_ viewer: TransferRepresentationVisibility) -> Bool { closeness <= viewer.closeness }

    /// The stricter of two.
    func restricted(to other: TransferRepresentationVisibility) -> TransferRepresentationVisibility {
        closeness >= other.closeness ? self : other
    }

    /// How close a process must be. A group is the same team here.
    private var closeness: Int {
        switch itemProviderVisibility {
        case .all: 0
        case .team, .group: 1
        case .ownProcess: 2
        }
    }
}
