import FileCoordination
import Foundation

/// The document storage: the directory for the files of a provider that stores them itself. It is in the container of
/// the group that the provider's property list names. Without a group, it is in the provider's own container.
package enum DocumentStorage {
    static let name = "File Provider Storage"

    static var url: URL { container.appendingPathComponent(name, isDirectory: true) }

    private static var container: URL {
        let properties = Bundle.main.infoDictionary?["NSExtension"] as? [String: Any]
        if let group = properties?["NSExtensionFileProviderDocumentGroup"] as? String,
            let folder = FileManager.default.containerURL(forSecurityApplicationGroupIdentifier: group)
        {
            return folder
        }
        if let path = DataFolder.path { return URL(fileURLWithPath: path, isDirectory: true) }
        return FileManager.default.temporaryDirectory
    }
}
