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
    // The steps after a directory was created, or an item was moved or removed, and before the reply is sent.
    case folderMade = "provider.folder.made"
    case moved = "provider.moved"
    case deleted = "provider.deleted"
}
