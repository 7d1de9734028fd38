import Conduit

/// An item of the working set, or a search result.
package struct FoundItemDescription: SchemaMessage, Equatable {
    /// The domain's name.
    package var domain: String
    /// The path in the domain: names separated by slashes.
    package var path: String
    /// The path in the mount; `nil` if the domain is not mounted.
    package var mountedPath: String?
    package var item: ItemDescription
    /// The date of last use, in seconds since 1970.
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

/// The reply to a search, and to a request for recent files or favorites.
package struct FoundItems: SchemaMessage {
    package let items: [FoundItemDescription]

    package init(items: [FoundItemDescription]) { self.items = items }

    package static let schema = Schema(Self.init, Field(0, \.items))
}

/// A request for the most recently used files of all domains, the latest first. No provider is asked.
package struct RecentsCall: Call, SchemaMessage {
    package typealias Reply = FoundItems
    package static var method: UInt64 { DomainMethod.recents }
    package let limit: Int

    package init(limit: Int) { self.limit = limit }

    package static let schema = Schema(Self.init, Field(0, \.limit))
}

/// A request for the favorites of all domains, in their order. No provider is asked.
package struct FavoritesCall: Call, SchemaMessage {
    package typealias Reply = FoundItems
    package static var method: UInt64 { DomainMethod.favorites }

    package init() {}
    package static let schema = Schema(Self.init)
}

/// A search for items that meet all of the conditions. No provider is asked.
package struct SearchCall: Call, SchemaMessage {
    package typealias Reply = FoundItems
    package static var method: UInt64 { DomainMethod.search }
    /// The name of the only domain to search; `nil` for all domains.
    package var domain: String?
    /// Parts of the name, all of which must occur in it.
    package var words: [String]
    /// Identifiers of types; an item has to match one of them.
    package var types: [String]
    package var tags: [String]
    /// The range of the modification date, in seconds since 1970: from `since` on, and before `before`.
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

/// A request to add tags to an item and to remove some. The reply has the resulting tags.
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

/// A push message of a service, which reports that a container has changed.
package struct PushCall: Call, SchemaMessage {
    package typealias Reply = Empty
    package static var method: UInt64 { DomainMethod.push }
    /// The container's identifier.
    package let container: String
    /// The domain's identifier or name; `nil` for every domain that matches ``topic``.
    package let domain: String?
    /// The provider's identifier with ``topicSuffix``; `nil` for any provider.
    package let topic: String?

    package static let topicSuffix = ".pushkit.fileprovider"

    package init(container: String, domain: String?, topic: String?) {
        self.container = container
        self.domain = domain
        self.topic = topic
    }

    package static let schema = Schema(Self.init, Field(0, \.container), Field(1, \.domain), Field(2, \.topic))
}
