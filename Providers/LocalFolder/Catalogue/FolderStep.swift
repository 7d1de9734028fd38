import LinuxSystem

/// The steps at which the provider may be killed: something was done to the folder, and the catalogue does not know of it.
package enum FolderStep: String, FaultPoint {
    /// New contents are beside those that they replace.
    case staged = "folder.staged"
    case replaced = "folder.replaced"
    /// A new file is beside its place, and then in it.
    case additionStaged = "folder.addition.staged"
    case added = "folder.added"
    case linkMade = "folder.link.made"
    case folderMade = "folder.made"
    case moved = "folder.moved"
    case removed = "folder.removed"
}
