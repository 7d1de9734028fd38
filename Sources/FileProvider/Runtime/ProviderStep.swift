import LinuxSystem

/// Fault points: the steps of a provider's process at which tests kill it.
package enum ProviderStep: String, FaultPoint {
    // Replacing the contents of a file.
    case replacementBegun = "provider.replace.begun"
    case replacementCopied = "provider.replace.copied"
    case replacementRenamed = "provider.replace.renamed"
    case replacementTold = "provider.replace.told"
    // Creating a file or link.
    case creationCopied = "provider.create.copied"
    case creationImported = "provider.create.imported"
    // A directory was made, an item moved or removed, and no reply was sent yet.
    case folderMade = "provider.folder.made"
    case moved = "provider.moved"
    case deleted = "provider.deleted"
}
