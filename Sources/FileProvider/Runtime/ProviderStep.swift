import LinuxSystem

/// The steps of a provider's process at which it may be killed.
package enum ProviderStep: String, FaultPoint {
    // New contents of a file.
    case replacementBegun = "provider.replace.begun"
    case replacementCopied = "provider.replace.copied"
    case replacementRenamed = "provider.replace.renamed"
    case replacementTold = "provider.replace.told"
    // A new file or link.
    case creationCopied = "provider.create.copied"
    case creationImported = "provider.create.imported"
    // A new folder, a move, a removal: done, and not answered.
    case folderMade = "provider.folder.made"
    case moved = "provider.moved"
    case deleted = "provider.deleted"
}
