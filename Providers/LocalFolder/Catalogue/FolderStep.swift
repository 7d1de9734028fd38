import LinuxSystem

/// The fault points of the provider. At each of them, the served directory or the document storage has a change that
/// the catalogue does not record yet, or the catalogue has recorded a change that was not made yet.
package enum FolderStep: String, FaultPoint {
    /// The new contents are staged beside the file that they will replace.
    case staged = "folder.staged"
    case replaced = "folder.replaced"
    /// A new file is staged beside its place, and is about to be published.
    case additionStaged = "folder.addition.staged"
    case added = "folder.added"
    case linkMade = "folder.link.made"
    case folderMade = "folder.made"
    /// The trash directory still has its temporary name.
    case trashMade = "folder.trash.made"
    case moved = "folder.moved"
    case removed = "folder.removed"
    /// A copy in the document storage is recorded, and not placed yet.
    case copyNoted = "folder.copy.noted"
    case copyPlaced = "folder.copy.placed"
    /// An edit in the document storage is recorded, and not written to the served directory yet.
    case editNoted = "folder.edit.noted"
    case editTaken = "folder.edit.taken"
}
