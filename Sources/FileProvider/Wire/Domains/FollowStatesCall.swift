import Conduit

/// Asks what is in another state than before. Answered when something is, a moment later, so that what happens together is told
/// together; the first time at once.
///
/// Whoever asks late is not waited for: what was too much to be kept meanwhile is told as folders to look into again.
package struct FollowStatesCall: Call {
    package static var method: UInt64 { DomainMethod.followStates }
    /// Of the answer before; 0 the first time.
    package let position: UInt64

    package init(position: UInt64) { self.position = position }

    package init(from decoder: inout MessageDecoder) throws(MessageError) { position = try decoder.decode(forKey: 0) }

    package func encode(to encoder: inout MessageEncoder) { encoder.encode(position, forKey: 0) }

    package struct Reply: Message {
        /// What to ask from the next time.
        package var position: UInt64
        /// The domains, or what is said of them, may be different.
        package var areDomainsDifferent: Bool
        /// Items with their states now; those that are gone, with none.
        package var standings: [ItemStanding]
        /// The paths of folders in which, at whatever depth, there may be more.
        package var folders: [String]

        package init(
            position: UInt64, areDomainsDifferent: Bool, standings: [ItemStanding] = [], folders: [String] = []
        ) {
            self.position = position
            self.areDomainsDifferent = areDomainsDifferent
            self.standings = standings
            self.folders = folders
        }

        package init(from decoder: inout MessageDecoder) throws(MessageError) {
            position = try decoder.decode(forKey: 0)
            areDomainsDifferent = try decoder.decode(forKey: 1)
            standings = try decoder.decode(forKey: 2)
            folders = try decoder.decode(forKey: 3)
        }

        package func encode(to encoder: inout MessageEncoder) {
            encoder.encode(position, forKey: 0)
            encoder.encode(areDomainsDifferent, forKey: 1)
            encoder.encode(standings, forKey: 2)
            encoder.encode(folders, forKey: 3)
        }
    }
}
