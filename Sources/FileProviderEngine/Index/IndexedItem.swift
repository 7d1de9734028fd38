import FileProvider

/// One row of the index: where an item is here, what the provider says of it, and what was done to it here since.
package struct IndexedItem: Sendable, Equatable {
    package var number: ItemNumber
    /// Where it is in this machine's tree, which a local rename that the provider does not know of yet has changed.
    package var parent: ItemNumber
    /// Its name in this machine's tree: the provider's where that can be a file's name and no neighbour has it; UTF-8, 1 to
    /// 255 bytes, no `/`, not `.` or `..`.
    package var name: String
    /// What the provider said last. Of an item that was made here and that the provider does not have yet, what it is to be;
    /// its identifier then begins with ``localPrefix``.
    package var item: ProviderItem
    /// What was done here and the provider has not confirmed.
    package var changes: LocalChanges
    package var content: ContentState
    /// Bytes of the file on this machine.
    package var localSize: Int64
    /// The version of the contents that are here, or that the edit began with.
    package var localVersion: [UInt8]
    /// Changed or set here; seconds since 1970. `nil` where the provider's date counts, as it does once the provider has other
    /// contents than those.
    package var localModified: Double?
    /// When its name, place, mode, dates or extended attributes were changed here last; seconds since 1970. `nil` where none was,
    /// as it is again once the provider has other contents.
    package var localChanged: Double?
    /// Modes that were set here; `nil` where the standard ones count.
    package var mode: UInt16?
    package var listing: ListingState
    /// A person said of this very item that it is to stay on this machine, at whatever size; of a folder, with all that is and
    /// comes into it.
    package var isKept: Bool
    package var attributes = LocalAttributes()
    /// It lies in a folder that stays here. The index sees to it, wherever the item goes.
    package var isKeptByFolder = false
    /// Of ``ContentState/partial``: which bytes are on this machine, or at least the most of them.
    package var parts = ByteRanges()

    /// An identifier that begins like this was made here.
    package static let localPrefix = "purvey-local:"

    /// Whether it is to stay on this machine, for whatever reason.
    package var staysHere: Bool { isKept || isKeptByFolder }

    /// Whether the provider knows the item.
    package var isKnownToProvider: Bool { !item.identifier.hasPrefix(Self.localPrefix) }
}

/// What was done to an item on this machine that the provider has not confirmed.
package struct LocalChanges: OptionSet, Sendable, Hashable {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// It was made here.
    package static let created = LocalChanges(rawValue: 1 << 0)
    package static let contents = LocalChanges(rawValue: 1 << 1)
    /// Renamed, moved, or both.
    package static let place = LocalChanges(rawValue: 1 << 2)
    /// Removed here: it is not shown any more, and the row stays until the provider has removed it too.
    package static let deleted = LocalChanges(rawValue: 1 << 3)
    /// Dates, modes.
    package static let attributes = LocalChanges(rawValue: 1 << 4)
}

/// Where the bytes of a file are.
package enum ContentState: UInt8, Sendable {
    /// Nothing is here.
    case dataless = 0
    /// Some ranges are here.
    case partial = 1
    /// All of it is here, and it is what the provider has, as far as it is known.
    case current = 2
    /// Here, changed, and not confirmed by the provider: never overwritten, never evicted.
    case edited = 3
}

/// How much of a folder's listing is in the index.
package enum ListingState: UInt8, Sendable {
    /// It was never asked for.
    case never = 0
    /// Some pages are there.
    case partial = 1
    case complete = 2
}
