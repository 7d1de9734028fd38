import AppExtension
import LinuxSystem

extension ProviderDomain {
    /// Removes the provider's data for a removed domain: its documents, its state, and temporary files. The provider's
    /// process must have ended. Blocks on the file system. Symbolic links are not followed.
    ///
    /// - Parameters:
    ///   - extensionIdentifier: The identifier of the provider's extension, which may have been removed before.
    ///   - data: The directory of Purvey's data for this user.
    package func removeDocuments(of extensionIdentifier: String, data: String) throws(Errno) {
        guard InfoPropertyList.isIdentifier(extensionIdentifier) else { throw .invalidArgument }
        let container = try FileDescriptor.open(
            data + "/containers/" + extensionIdentifier, [.readOnly, .directory, .noFollow])
        for (folder, name) in [
            (Self.storageFolder, documentFolder), (Self.stateFolder, folderName), ("tmp", "domain-" + folderName),
        ] {
            guard let folder = FileName(folder), let name = FileName(name),
                let parent = try? container.open(entry: folder, [.readOnly, .directory])
            else { continue }
            try TreeRemover.remove(name, in: parent)
        }
    }
}
