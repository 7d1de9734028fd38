import Foundation

/// The default mapping between items and files, for a provider without one of its own: an identifier is a path.
struct StorageMapping {
    private let folder: URL

    init(_ manager: NSFileProviderManager, _ domain: NSFileProviderDomain?) {
        let storage = manager.documentStorageURL.standardizedFileURL
        let path = domain?.pathRelativeToDocumentStorage ?? ""
        folder = path.isEmpty ? storage : storage.appendingPathComponent(path, isDirectory: true).standardizedFileURL
    }

    /// Returns the place of an item's file; `nil` for an identifier that is no path within the directory.
    func url(of identifier: NSFileProviderItemIdentifier) -> URL? {
        if identifier == .rootContainer { return folder }
        let parts = identifier.rawValue.split(separator: "/", omittingEmptySubsequences: false)
        let isPath = parts.allSatisfy { part in
            !part.isEmpty && part != "." && part != ".." && !part.utf8.contains(0)
        }
        return isPath ? folder.appendingPathComponent(identifier.rawValue) : nil
    }

    /// Returns the identifier of a file's item; `nil` for a file outside of the directory.
    func identifier(at url: URL) -> NSFileProviderItemIdentifier? {
        let base = folder.pathComponents
        let parts = url.standardizedFileURL.pathComponents
        guard parts.starts(with: base) else { return nil }
        let own = parts.dropFirst(base.count)
        return own.isEmpty ? .rootContainer : NSFileProviderItemIdentifier(own.joined(separator: "/"))
    }
}
