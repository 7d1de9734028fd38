import FileProvider

/// What a person's use of an item left behind: it puts the item into the working set. Most items have none.
package struct ItemFacts: Sendable, Equatable {
    /// Seconds since 1970.
    package var lastUsed: Double?
    /// Its place among the favorites, the least first; `nil` for what is none.
    package var favoriteRank: UInt64?
    /// As the provider keeps it; see ``TagList``.
    package var tagData: [UInt8]?

    package init(lastUsed: Double? = nil, favoriteRank: UInt64? = nil, tagData: [UInt8]? = nil) {
        self.lastUsed = lastUsed
        self.favoriteRank = favoriteRank
        self.tagData = tagData
    }

    /// What a provider said.
    init(_ item: borrowing ProviderItem) {
        self.init(lastUsed: item.lastUsed, favoriteRank: item.favoriteRank, tagData: item.tagData)
    }

    package var tags: [String] { tagData.map { TagList.names(in: $0) } ?? [] }

    var isEmpty: Bool { lastUsed == nil && favoriteRank == nil && tagData == nil }

    /// Takes over some of another's.
    mutating func take(_ kinds: FactKinds, from other: ItemFacts) {
        if kinds.contains(.lastUsed) { lastUsed = other.lastUsed }
        if kinds.contains(.favoriteRank) { favoriteRank = other.favoriteRank }
        if kinds.contains(.tags) { tagData = other.tagData }
    }
}

extension ProviderItem {
    /// Takes over some of the facts that the provider was given.
    mutating func take(_ kinds: FactKinds, from facts: ItemFacts) {
        var taken = ItemFacts(self)
        taken.take(kinds, from: facts)
        (lastUsed, favoriteRank, tagData) = (taken.lastUsed, taken.favoriteRank, taken.tagData)
    }
}

/// Which of an item's facts.
package struct FactKinds: OptionSet, Sendable, Hashable {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    package static let lastUsed = FactKinds(rawValue: 1 << 0)
    package static let favoriteRank = FactKinds(rawValue: 1 << 1)
    package static let tags = FactKinds(rawValue: 1 << 2)

    // What is in the item's own row: of these, only which were set is kept beside it.
    package static let modified = FactKinds(rawValue: 1 << 3)
    package static let mode = FactKinds(rawValue: 1 << 4)
    package static let extendedAttributes = FactKinds(rawValue: 1 << 5)
    static let attributes: FactKinds = [.modified, .mode, .extendedAttributes]

    /// What is sent first of them with one request: one kind alone, or all attributes.
    var first: FactKinds? {
        let requests: [FactKinds] = [.lastUsed, .favoriteRank, .tags, .attributes]
        return requests.map { intersection($0) }.first { !$0.isEmpty }
    }
}

/// An item that was looked for, with where it is.
package struct FoundItem: Sendable, Equatable {
    package var item: IndexedItem
    /// The names on the way to it from the domain's root, and its own.
    package var names: [String]
    package var facts: ItemFacts
}
