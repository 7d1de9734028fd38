import LinuxSystem

/// The steps at which the provider may be killed: something was done to the folder or the document storage, and the catalogue does not
/// know of it, or the other way round.
package enum FolderStep: String, FaultPoint {
    /// New contents are beside those that they replace.
    case staged = "folder.staged"
    case replaced = "folder.replaced"
    /// A new file is beside its place, and then in it.
    case additionStaged = "folder.addition.staged"
    case added = "folder.added"
    case linkMade = "folder.link.made"
    case folderMade = "folder.made"
    /// The folder of the trash has no name yet.
    case trashMade = "folder.trash.made"
    case moved = "folder.moved"
    case removed = "folder.removed"
    /// What is known of a copy in the document storage is written down, and then the copy is there.
    case copyNoted = "folder.copy.noted"
    case copyPlaced = "folder.copy.placed"
    /// An edit there is written down, and then the folder has it.
    case editNoted = "folder.edit.noted"
    case editTaken = "folder.edit.taken"
}
