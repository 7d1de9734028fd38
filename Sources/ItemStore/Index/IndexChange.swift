/// A change of the visible tree. The tree does not contain items that were removed locally.
package enum IndexChange: Sendable, Equatable {
    case added(ItemNumber, parent: ItemNumber, name: String)
    /// - Parameter contents: `true` if the file's contents, or their local state, changed; `false` if only its metadata
    ///   changed.
    case changed(ItemNumber, contents: Bool)
    case moved(
        ItemNumber, from: ItemNumber, fromName: String, to: ItemNumber, toName: String)
    case removed(ItemNumber, parent: ItemNumber, name: String)
}

/// The changes of the index that resulted from items that the provider reported.
package struct AppliedItems: Sendable, Equatable {
    package var added: [ItemNumber] = []
    /// The items that the provider describes differently than before.
    package var changed: [ItemNumber] = []
    /// The items that now have another place or name in the local tree.
    package var moved: [ItemNumber] = []
    /// The files with local edits that are not based on the provider's present version. The local contents stay. The
    /// rows record the provider's version.
    package var conflicts: [ItemNumber] = []
    /// The files whose clean local contents are not the provider's present version. The rows record this version. The
    /// local contents stay.
    package var outdated: [ItemNumber] = []
    /// The identifiers of parents that are not in the index yet. An item with such a parent was added to the listed
    /// directory, stayed in its place, or was left out.
    package var unknownParents: [String] = []
    /// The items that were removed as a consequence of the report: a file became a directory, or an item went to the
    /// trash.
    package var removed = RemovedItems()

    package init() {}
}

/// The changes of the index that resulted from removals that the provider reported.
package struct RemovedItems: Sendable, Equatable {
    /// The items whose rows were deleted.
    package var removed: [ItemNumber] = []
    /// The items in ``removed`` that may have local contents.
    package var withContents: [ItemNumber] = []
    /// The items that stay although the provider removed them, because they, or items in them, have local changes.
    /// Parents come before children.
    package var kept: [ItemNumber] = []
    /// The identifiers of items whose parent at the provider was removed, but that are in another directory locally.
    package var stranded: [String] = []

    package init() {}

    package mutating func append(_ other: RemovedItems) {
        removed += other.removed
        withContents += other.withContents
        kept += other.kept
        stranded += other.stranded
    }
}
