import FileCoordination
import Foundation
import ItemValues
import LinuxSystem
import UniformTypeIdentifiers

/// The placeholder of a file that is not local: a property list with the file's metadata, beside the path of the file.
enum Placeholder {
    /// Returns the path of the placeholder: a hidden file beside the file.
    static func url(for url: URL) -> URL {
        url.deletingLastPathComponent().appendingPathComponent(name(for: url.path.lastPathName), isDirectory: false)
    }

    /// Returns the name of the placeholder for the file with the given name. If it would be too long for a file name,
    /// the placeholder's name contains only the beginning of the file's name, followed by a hash.
    private static func name(for name: String) -> String {
        let most = 255 - prefix.utf8.count - suffix.utf8.count
        guard name.utf8.count > most else { return prefix + name + suffix }
        let digest = String(Digest(name.utf8).low, radix: 16)
        var kept = name
        while kept.utf8.count + digest.utf8.count + 1 > most { kept.removeLast() }
        return "\(prefix)\(kept)-\(digest)\(suffix)"
    }

    /// Whether a file is a placeholder: its name has the form of a placeholder's name, and it contains only metadata.
    static func isPlaceholder(_ path: String) -> Bool {
        let name = path.lastPathName
        guard name.hasPrefix(prefix), name.hasSuffix(suffix),
            let file = try? FileDescriptor.open(path, [.readOnly, .nonBlocking, .noFollow]),
            let bytes = try? file.readToEnd(limit: largest),
            let values = try? PropertyListSerialization.propertyList(from: Data(bytes), format: nil) as? [String: Any]
        else { return false }
        return values.keys.allSatisfy { $0.hasPrefix("NSURL") }
    }

    /// The maximum size of a placeholder in bytes.
    private static let largest = 1 << 20

    private static let prefix = "."
    private static let suffix = ".icloud"

    /// Writes a placeholder. Creates the directory if it does not exist. Metadata that a property list cannot contain
    /// is left out.
    static func write(at url: URL, _ metadata: [URLResourceKey: Any]) throws {
        var values: [String: Any] = [:]
        for (key, value) in metadata {
            if let value = PlainValue.make(value) { values[key.rawValue] = value }
        }
        let data = try PropertyListSerialization.data(fromPropertyList: values, format: .binary, options: 0)
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try data.write(to: url, options: .atomic)
    }

    static func write(at url: URL, _ item: any NSFileProviderItem) throws {
        var metadata: [URLResourceKey: Any] = [.nameKey: item.filename]
        metadata[.typeIdentifierKey] = item.contentType?.identifier
        metadata[.fileSizeKey] = ProviderItem.size(of: item)
        metadata[.creationDateKey] = item.creationDate ?? nil
        metadata[.contentModificationDateKey] = item.contentModificationDate ?? nil
        try write(at: url, metadata)
    }
}

/// The document storage: the directory for the files of a provider that stores them itself. If the provider's property
/// list names an application group, the storage is in the group's container. Otherwise, it is in the provider's own
/// container.
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
