import FileProvider

/// What became different in the tree that the index shows. Items that were removed here are not in it.
package enum IndexChange: Sendable, Equatable {
    case added(ItemNumber, parent: ItemNumber, name: String)
    /// - Parameter contents: whether the file's bytes, or where they are, changed too, and not only what is said of it.
    case changed(ItemNumber, contents: Bool)
    case moved(
        ItemNumber, from: ItemNumber, fromName: String, to: ItemNumber, toName: String)
    case removed(ItemNumber, parent: ItemNumber, name: String)
}

/// What became of items that a provider told of.
package struct AppliedItems: Sendable, Equatable {
    package var added: [ItemNumber] = []
    /// Something that the provider says of them is different.
    package var changed: [ItemNumber] = []
    /// Those that are at another place in the tree now, or have another name.
    package var moved: [ItemNumber] = []
    /// Files whose contents were changed here, and of which the provider has another version than the one that the change
    /// began with. They stay as they are: their rows say what the provider has.
    package var conflicts: [ItemNumber] = []
    /// Files whose contents are here and are not what the provider has now. Their rows say so; the contents stay as they are.
    package var outdated: [ItemNumber] = []
    /// Parents that no item has told of yet. What says that it is in one of them was placed in the folder that it was
    /// listed in, stayed where it was, or was left out.
    package var unknownParents: [String] = []
    /// Items that stopped being what they were (a file became a folder, an item went to the trash).
    package var removed = RemovedItems()

    package init() {}
}

/// What became of items that a provider does not have any more.
package struct RemovedItems: Sendable, Equatable {
    /// Their rows are gone.
    package var removed: [ItemNumber] = []
    /// Those of ``removed`` of which contents may be on this machine.
    package var withContents: [ItemNumber] = []
    /// Those that stay, because something was done to them here, or to something in them; parents before children.
    package var kept: [ItemNumber] = []
    /// Identifiers of items that are elsewhere, and of which the provider said that they are in one of those that it removed.
    package var stranded: [String] = []

    package init() {}

    package mutating func append(_ other: RemovedItems) {
        removed += other.removed
        withContents += other.withContents
        kept += other.kept
        stranded += other.stranded
    }
}
