import Foundation
import LinuxSystem

/// The default mapping between items and files, for a provider without its own mapping. The identifier of an item is
/// the path of its file, relative to the domain's directory.
struct StorageMapping {
    private let folder: URL

    init(_ manager: NSFileProviderManager, _ domain: NSFileProviderDomain?) {
        let storage = manager.documentStorageURL.standardizedFileURL
        let path = domain?.pathRelativeToDocumentStorage ?? ""
        folder = path.isEmpty ? storage : storage.appendingPathComponent(path, isDirectory: true).standardizedFileURL
    }

    /// Returns the URL of an item's file; `nil` if the identifier is not a path within the directory.
    func url(of identifier: NSFileProviderItemIdentifier) -> URL? {
        if identifier == .rootContainer { return folder }
        let slash = UInt8(ascii: "/")
        let isPath = identifier.rawValue.utf8.split(separator: slash, omittingEmptySubsequences: false)
            .allSatisfy { FileName(bytes: Array($0)) != nil }
        return isPath ? folder.appendingPathComponent(identifier.rawValue) : nil
    }

    /// Returns the identifier of a file's item; `nil` if the file is outside of the directory.
    func identifier(at url: URL) -> NSFileProviderItemIdentifier? {
        guard let own = url.standardizedFileURL.path.pathNames(beneath: folder.path) else { return nil }
        return own.isEmpty ? .rootContainer : NSFileProviderItemIdentifier(own.joined(separator: "/"))
    }
}
