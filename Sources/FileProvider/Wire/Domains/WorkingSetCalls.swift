import Conduit

/// An item of the working set, or a search result.
package struct FoundItemDescription: Message, Equatable {
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

    package init(from decoder: inout MessageDecoder) throws(MessageError) {
        domain = try decoder.decode(forKey: 0)
        path = try decoder.decode(forKey: 1)
        mountedPath = try decoder.decodeIfPresent(forKey: 2)
        item = try decoder.decode(forKey: 3)
        lastUsed = try decoder.decodeIfPresent(forKey: 4)
        favoriteRank = try decoder.decodeIfPresent(forKey: 5)
        tags = try decoder.decode(forKey: 6)
    }

    package func encode(to encoder: inout MessageEncoder) {
        encoder.encode(domain, forKey: 0)
        encoder.encode(path, forKey: 1)
        encoder.encodeIfPresent(mountedPath, forKey: 2)
        encoder.encode(item, forKey: 3)
        encoder.encodeIfPresent(lastUsed, forKey: 4)
        encoder.encodeIfPresent(favoriteRank, forKey: 5)
        encoder.encode(tags, forKey: 6)
    }
}

/// The items that were found.
package struct FoundItems: Message {
    package let items: [FoundItemDescription]

    package init(items: [FoundItemDescription]) { self.items = items }

    package init(from decoder: inout MessageDecoder) throws(MessageError) { items = try decoder.decode(forKey: 0) }

    package func encode(to encoder: inout MessageEncoder) { encoder.encode(items, forKey: 0) }
}

/// A request for the most recently used files of all domains, the latest first. No provider is asked.
package struct RecentsCall: Call {
    package typealias Reply = FoundItems
    package static var method: UInt64 { DomainMethod.recents }
    package let limit: Int

    package init(limit: Int) { self.limit = limit }

    package init(from decoder: inout MessageDecoder) throws(MessageError) { limit = try decoder.decode(forKey: 0) }

    package func encode(to encoder: inout MessageEncoder) { encoder.encode(limit, forKey: 0) }
}

/// A request for the favorites of all domains, in their order. No provider is asked.
package struct FavoritesCall: Call {
    package typealias Reply = FoundItems
    package static var method: UInt64 { DomainMethod.favorites }

    package init() {}
    package init(from decoder: inout MessageDecoder) throws(MessageError) {}
    package func encode(to encoder: inout MessageEncoder) {}
}

/// A search for items that meet all of the conditions. No provider is asked.
package struct SearchCall: Call {
    package typealias Reply = FoundItems
    package static var method: UInt64 { DomainMethod.search }
    /// The name of the only domain to search; `nil` for all.
    package var domain: String?
    /// Parts of the name.
    package var words: [String]
    /// Identifiers of types; an item has to match one of them.
    package var types: [String]
    package var tags: [String]
    /// The range of the modification date: from `since`, up to but not including `before`; seconds since 1970.
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

    package init(from decoder: inout MessageDecoder) throws(MessageError) {
        domain = try decoder.decodeIfPresent(forKey: 0)
        words = try decoder.decode(forKey: 1)
        types = try decoder.decode(forKey: 2)
        tags = try decoder.decode(forKey: 3)
        since = try decoder.decodeIfPresent(forKey: 4)
        before = try decoder.decodeIfPresent(forKey: 5)
        limit = try decoder.decode(forKey: 6)
    }

    package func encode(to encoder: inout MessageEncoder) {
        encoder.encodeIfPresent(domain, forKey: 0)
        encoder.encode(words, forKey: 1)
        encoder.encode(types, forKey: 2)
        encoder.encode(tags, forKey: 3)
        encoder.encodeIfPresent(since, forKey: 4)
        encoder.encodeIfPresent(before, forKey: 5)
        encoder.encode(limit, forKey: 6)
    }
}

/// A request to make an item a favorite, or to end that.
package struct SetFavoriteCall: Call {
    package typealias Reply = Empty
    package static var method: UInt64 { DomainMethod.setFavorite }
    package let place: ItemPlace
    package let isFavorite: Bool

    package init(place: ItemPlace, isFavorite: Bool) {
        self.place = place
        self.isFavorite = isFavorite
    }

    package init(from decoder: inout MessageDecoder) throws(MessageError) {
        place = try decoder.decode(forKey: 0)
        isFavorite = try decoder.decode(forKey: 1)
    }

    package func encode(to encoder: inout MessageEncoder) {
        encoder.encode(place, forKey: 0)
        encoder.encode(isFavorite, forKey: 1)
    }
}

/// A request to add tags to an item and to remove some. The reply has the resulting tags.
package struct TagItemCall: Call {
    package static var method: UInt64 { DomainMethod.tag }
    package let place: ItemPlace
    package let added: [String]
    package let removed: [String]

    package init(place: ItemPlace, added: [String], removed: [String]) {
        self.place = place
        self.added = added
        self.removed = removed
    }

    package init(from decoder: inout MessageDecoder) throws(MessageError) {
        place = try decoder.decode(forKey: 0)
        added = try decoder.decode(forKey: 1)
        removed = try decoder.decode(forKey: 2)
    }

    package func encode(to encoder: inout MessageEncoder) {
        encoder.encode(place, forKey: 0)
        encoder.encode(added, forKey: 1)
        encoder.encode(removed, forKey: 2)
    }

    package struct Reply: Message {
        package let tags: [String]

        package init(tags: [String]) { self.tags = tags }

        package init(from decoder: inout MessageDecoder) throws(MessageError) { tags = try decoder.decode(forKey: 0) }

        package func encode(to encoder: inout MessageEncoder) { encoder.encode(tags, forKey: 0) }
    }
}

/// A push message of a service: a container has changed.
package struct PushCall: Call {
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

    package init(from decoder: inout MessageDecoder) throws(MessageError) {
        container = try decoder.decode(forKey: 0)
        domain = try decoder.decodeIfPresent(forKey: 1)
        topic = try decoder.decodeIfPresent(forKey: 2)
    }

    package func encode(to encoder: inout MessageEncoder) {
        encoder.encode(container, forKey: 0)
        encoder.encodeIfPresent(domain, forKey: 1)
        encoder.encodeIfPresent(topic, forKey: 2)
    }
}
