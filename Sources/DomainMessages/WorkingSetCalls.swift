import Conduit

/// An item of the working set, or an item that a search found.
package struct FoundItemDescription: SchemaMessage, Equatable {
    /// The name of the item's domain.
    package var domain: String
    /// The path of the item in its domain: names separated by slashes.
    package var path: String
    /// The path of the item in the domain's mount; `nil` if the domain is not mounted.
    package var mountedPath: String?
    package var item: ItemDescription
    /// The date of the last use, in seconds since 1970; `nil` if it is not known.
    package var lastUsed: Double?
    package var favoriteRank: UInt64?
    package var tags: [String]

    package init(
        domain: String, path: String, mountedPath: String?, item: ItemDescription, lastUsed: Double?,
        favoriteRank: UInt64?, tags: [String]
    ) {
        self.domain = domain
        self.path = path
        self.mountedPath = mountedPath
        self.item = item
        self.lastUsed = lastUsed
        self.favoriteRank = favoriteRank
        self.tags = tags
    }

    package static let schema = Schema(
        Self.init, Field(0, \.domain), Field(1, \.path), Field(2, \.mountedPath), Field(3, \.item),
        Field(4, \.lastUsed), Field(5, \.favoriteRank), Field(6, \.tags))
}

/// The reply to a search, and to a request for recently used files or favorites.
package struct FoundItems: SchemaMessage {
    package let items: [FoundItemDescription]

    package init(items: [FoundItemDescription]) { self.items = items }

    package static let schema = Schema(Self.init, Field(0, \.items))
}

/// A request for the most recently used files of all domains, the latest first. The daemon sends no request to a
/// provider.
package struct RecentsCall: Call, SchemaMessage {
    package typealias Reply = FoundItems
    package static var method: UInt64 { DomainMethod.recents }
    package let limit: Int

    package init(limit: Int) { self.limit = limit }

    package static let schema = Schema(Self.init, Field(0, \.limit))
}

/// A request for the favorites of all domains, in the order of their ranks. The daemon sends no request to a provider.
package struct FavoritesCall: Call, SchemaMessage {
    package typealias Reply = FoundItems
    package static var method: UInt64 { DomainMethod.favorites }

    package init() {}
    package static let schema = Schema(Self.init)
}

/// A request for the items that meet all of the conditions below. The daemon searches its indexes and sends no request
/// to a provider.
package struct SearchCall: Call, SchemaMessage {
    package typealias Reply = FoundItems
    package static var method: UInt64 { DomainMethod.search }
    /// The name of the domain to search; `nil` for all domains.
    package var domain: String?
    /// Parts of the item's name. The name must contain all of them.
    package var words: [String]
    /// Identifiers of types. The item's type must be one of them, or conform to one of them; any type if empty.
    package var types: [String]
    package var tags: [String]
    /// The range of the modification date, in seconds since 1970: from `since`, inclusive, to `before`, exclusive.
    /// `nil` for no limit.
    package var since: Double?
    package var before: Double?
    package var limit: Int

    package init(
        domain: String?, words: [String], types: [String], tags: [String], since: Double?, before: Double?, limit: Int
    ) {
        self.domain = domain
        self.words = words
        self.types = types
        self.tags = tags
        self.since = since
        self.before = before
        self.limit = limit
    }

    package static let schema = Schema(
        Self.init, Field(0, \.domain), Field(1, \.words), Field(2, \.types), Field(3, \.tags), Field(4, \.since),
        Field(5, \.before), Field(6, \.limit))
}

/// A request to make an item a favorite, or to remove it from the favorites.
package struct SetFavoriteCall: Call, SchemaMessage {
    package typealias Reply = Empty
    package static var method: UInt64 { DomainMethod.setFavorite }
    package let place: ItemPlace
    package let isFavorite: Bool

    package init(place: ItemPlace, isFavorite: Bool) {
        self.place = place
        self.isFavorite = isFavorite
    }

    package static let schema = Schema(Self.init, Field(0, \.place), Field(1, \.isFavorite))
}

/// A request to add tags to an item and to remove other tags from it. The reply has the resulting tags.
package struct TagItemCall: Call, SchemaMessage {
    package static var method: UInt64 { DomainMethod.tag }
    package let place: ItemPlace
    package let added: [String]
    package let removed: [String]

    package init(place: ItemPlace, added: [String], removed: [String]) {
        self.place = place
        self.added = added
        self.removed = removed
    }

    package static let schema = Schema(Self.init, Field(0, \.place), Field(1, \.added), Field(2, \.removed))

    package struct Reply: SchemaMessage {
        package let tags: [String]

        package init(tags: [String]) { self.tags = tags }

        package static let schema = Schema(Self.init, Field(0, \.tags))
    }
}

/// A push message of a provider's service, which reports that a container has changed.
package struct PushCall: Call, SchemaMessage {
    package typealias Reply = Empty
    package static var method: UInt64 { DomainMethod.push }
    /// The identifier of the container.
    package let container: String
    /// The identifier or the name of the domain; `nil` for every domain that matches ``topic``.
    package let domain: String?
    /// The provider's identifier, followed by ``topicSuffix``; `nil` for any provider.
    package let topic: String?

    package static let topicSuffix = ".pushkit.fileprovider"

    package init(container: String, domain: String?, topic: String?) {
        self.container = container
        self.domain = domain
        self.topic = topic
    }

    package static let schema = Schema(Self.init, Field(0, \.container), Field(1, \.domain), Field(2, \.topic))
}
