/// A change of the visible tree. The tree does not contain items that were removed locally.
package enum IndexChange: Sendable, Equatable {
    case added(ItemNumber, parent: ItemNumber, name: String)
    /// - Parameter contents: Whether the file's contents or their local state changed, and not only its metadata.
    case changed(ItemNumber, contents: Bool)
    case moved(
        ItemNumber, from: ItemNumber, fromName: String, to: ItemNumber, toName: String)
    case removed(ItemNumber, parent: ItemNumber, name: String)
}

/// The effects of applying items that the provider reported.
package struct AppliedItems: Sendable, Equatable {
    package var added: [ItemNumber] = []
    /// Items that the provider now describes differently.
    package var changed: [ItemNumber] = []
    /// Items that have another place or name in the local tree.
    package var moved: [ItemNumber] = []
    /// Files with local edits whose version at the provider is not the one that the edit began with. The local contents
    /// stay; the rows record the provider's version.
    package var conflicts: [ItemNumber] = []
    /// Files whose local contents are not the provider's current version. The rows record this; the contents stay.
    package var outdated: [ItemNumber] = []
    /// Parents that are not in the index yet. An item with such a parent was added to the listed directory, stayed in
    /// its place, or was left out.
    package var unknownParents: [String] = []
    /// Items that were removed as a consequence of the report: a file became a directory, or an item went to the trash.
    package var removed = RemovedItems()

    package init() {}
}

/// The effects of removing items that the provider does not have any more.
package struct RemovedItems: Sendable, Equatable {
    /// Items whose rows were deleted.
    package var removed: [ItemNumber] = []
    /// Items of ``removed`` that may have local contents.
    package var withContents: [ItemNumber] = []
    /// Items that stay although the provider removed them, because they or items in them have local changes. Parents
    /// come before children.
    package var kept: [ItemNumber] = []
    /// Identifiers of items that the provider placed in a removed directory, but that have another local place.
    package var stranded: [String] = []

    package init() {}

    package mutating func append(_ other: RemovedItems) {
        removed += other.removed
        withContents += other.withContents
        kept += other.kept
        stranded += other.stranded
    }
}
