import Conduit

/// A request for items whose state has changed. The first reply comes at once. Each later reply comes shortly after a
/// change, so that it contains all changes that happen together.
///
/// The daemon keeps a bounded number of changes for a slow client. Beyond that it reports directories to read again.
package struct FollowStatesCall: Call, SchemaMessage {
    package static var method: UInt64 { DomainMethod.followStates }
    /// The position from the previous reply; 0 for the first request.
    package let position: UInt64

    package init(position: UInt64) { self.position = position }

    package static let schema = Schema(Self.init, Field(0, \.position))

    package struct Reply: SchemaMessage {
        /// The position for the next request.
        package var position: UInt64
        /// Whether the domains or their descriptions may have changed.
        package var areDomainsDifferent: Bool
        /// Items with their current states. Removed items have no state.
        package var standings: [ItemStanding]
        /// The paths of directories in which further items may have changed, at any depth.
        package var folders: [String]

        package init(
            position: UInt64, areDomainsDifferent: Bool, standings: [ItemStanding] = [], folders: [String] = []
        ) {
            self.position = position
            self.areDomainsDifferent = areDomainsDifferent
            self.standings = standings
            self.folders = folders
        }

        package static let schema = Schema(
            Self.init, Field(0, \.position), Field(1, \.areDomainsDifferent), Field(2, \.standings),
            Field(3, \.folders))
    }
}
