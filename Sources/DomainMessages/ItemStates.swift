import Conduit
import ItemValues

/// A request for the states of many items. The daemon replies from its indexes, without a request to a provider.
package struct ItemStatesCall: Call, SchemaMessage {
    package static var method: UInt64 { DomainMethod.itemStates }
    /// The places of the items. Symbolic links are not followed.
    package let places: [ItemPlace]

    /// The maximum number of places in one request. A request with more places is refused.
    package static let mostPlaces = 4096

    package init(places: [ItemPlace]) { self.places = places }

    package static let schema = Schema(Self.init, Field(0, \.places))

    package struct Reply: SchemaMessage {
        /// The states of the items, one for each place in the request, in the same order.
        package let standings: [ItemStanding]

        package init(standings: [ItemStanding]) { self.standings = standings }

        package static let schema = Schema(Self.init, Field(0, \.standings))
    }
}

/// The state of the item at a path, as far as it is known without a request to a provider.
package struct ItemStanding: SchemaMessage, Equatable {
    /// In the reply to an ``ItemStatesCall``, the path from the request. In other messages, the path at which the item
    /// is in its domain's mount, or would be if the domain were mounted.
    package let path: String
    /// The name of the item's domain; `nil` if the path is not in a domain.
    package let domain: String?
    /// The item; `nil` if there is no such item, or if its directory was never listed.
    package let item: ItemDescription?

    package init(path: String, domain: String?, item: ItemDescription?) {
        self.path = path
        self.domain = domain
        self.item = item
    }

    package static let schema = Schema(Self.init, Field(0, \.path), Field(1, \.domain), Field(2, \.item))
}

// The names of states and kinds, the same on the command line, in its JSON and on the desktop's bus.

extension DomainDescription.State {
    package var word: String {
        switch self {
        case .running: "running"
        case .changing: "changing"
        case .failed: "failed"
        }
    }
}

extension ItemDescription.State {
    package var word: String {
        switch self {
        case .dataless: "dataless"
        case .partial: "partial"
        case .current: "current"
        case .edited: "edited"
        case .uploading: "uploading"
        case .error: "error"
        }
    }
}

extension ProviderItem.Kind {
    package var word: String {
        switch self {
        case .file: "file"
        case .folder: "folder"
        case .symbolicLink: "link"
        }
    }
}

/// A request for the items whose state has changed. The first reply comes at once. Each later reply comes a short time
/// after a change, so that it contains all changes that happen together.
///
/// The daemon stores a bounded number of changes for a slow client. If there are more, it reports directories that the
/// client must read again.
package struct FollowStatesCall: Call, SchemaMessage {
    package static var method: UInt64 { DomainMethod.followStates }
    /// The position from the previous reply; 0 for the first request.
    package let position: UInt64

    package init(position: UInt64) { self.position = position }

    package static let schema = Schema(Self.init, Field(0, \.position))

    package struct Reply: SchemaMessage {
        /// The position for the next request.
        package var position: UInt64
        /// Whether the list of domains or their descriptions may have changed.
        package var areDomainsDifferent: Bool
        /// The changed items with their current states. For a removed item, ``ItemStanding/item`` is `nil`.
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
