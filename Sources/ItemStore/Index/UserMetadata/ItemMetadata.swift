import ItemValues

/// The user metadata of an item. An item with user metadata is part of the working set. Most items have none.
package struct ItemMetadata: Sendable, Equatable {
    /// The date of the last use, in seconds since 1970; `nil` if there was none.
    package var lastUsed: Double?
    /// The rank among the favourites, which are sorted by ascending rank; `nil` for an item that is not a favourite.
    package var favoriteRank: UInt64?
    /// The tags in the provider's encoding (see ``TagList``); `nil` for an item without tags.
    package var tagData: [UInt8]?

    package init(lastUsed: Double? = nil, favoriteRank: UInt64? = nil, tagData: [UInt8]? = nil) {
        self.lastUsed = lastUsed
        self.favoriteRank = favoriteRank
        self.tagData = tagData
    }

    /// Creates the user metadata that the provider reported for the given item.
    init(_ item: borrowing ProviderItem) {
        self.init(lastUsed: item.lastUsed, favoriteRank: item.favoriteRank, tagData: item.tagData)
    }

    package var tags: [String] { tagData.map { TagList.names(in: $0) } ?? [] }

    var isEmpty: Bool { lastUsed == nil && favoriteRank == nil && tagData == nil }

    /// Copies the values of the given kinds from `other`.
    package mutating func take(_ kinds: MetadataKinds, from other: ItemMetadata) {
        if kinds.contains(.lastUsed) { lastUsed = other.lastUsed }
        if kinds.contains(.favoriteRank) { favoriteRank = other.favoriteRank }
        if kinds.contains(.tags) { tagData = other.tagData }
    }
}

extension ProviderItem {
    /// Copies the values of the given kinds from user metadata that was sent to the provider.
    package mutating func take(_ kinds: MetadataKinds, from metadata: ItemMetadata) {
        var taken = ItemMetadata(self)
        taken.take(kinds, from: metadata)
        (lastUsed, favoriteRank, tagData) = (taken.lastUsed, taken.favoriteRank, taken.tagData)
    }
}

/// Kinds of user metadata.
package struct MetadataKinds: OptionSet, Sendable, Hashable {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    package static let lastUsed = MetadataKinds(rawValue: 1 << 0)
    package static let favoriteRank = MetadataKinds(rawValue: 1 << 1)
    package static let tags = MetadataKinds(rawValue: 1 << 2)

    // The values of the following attributes are in the item's own row. The user metadata records only which of these
    // kinds were set locally.
    package static let modified = MetadataKinds(rawValue: 1 << 3)
    package static let mode = MetadataKinds(rawValue: 1 << 4)
    package static let extendedAttributes = MetadataKinds(rawValue: 1 << 5)
    package static let attributes: MetadataKinds = [.modified, .mode, .extendedAttributes]

    /// The kinds to send with the next request: a single kind, or all kinds of attributes together; `nil` if there are
    /// none.
    package var first: MetadataKinds? {
        let requests: [MetadataKinds] = [.lastUsed, .favoriteRank, .tags, .attributes]
        return requests.map { intersection($0) }.first { !$0.isEmpty }
    }
}

/// An item with its path and user metadata, in the result of a search or in a list.
package struct FoundItem: Sendable, Equatable {
    package var item: IndexedItem
    /// The names on the path from the domain's root to the item, including the item's own name.
    package var names: [String]
    package var metadata: ItemMetadata
}
