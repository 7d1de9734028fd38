import Foundation

/// The mapping between items and files that a provider has which does not bring its own: an identifier is a path.
struct StorageMapping {
    private let folder: URL

    init(_ manager: NSFileProviderManager, _ domain: NSFileProviderDomain?) {
        let storage = manager.documentStorageURL.standardizedFileURL
        let path = domain?.pathRelativeToDocumentStorage ?? ""
        folder = path.isEmpty ? storage : storage.appendingPathComponent(path, isDirectory: true).standardizedFileURL
    }

    /// `nil` for an identifier that is no path within the folder.
    func url(of identifier: NSFileProviderItemIdentifier) -> URL? {
        if identifier == .rootContainer { return folder }
        let parts = identifier.rawValue.split(separator: "/", omittingEmptySubsequences: false)
        let isPath = parts.allSatisfy { part in
            !part.isEmpty && part != "." && part != ".." && !part.utf8.contains(0)
        }
        return isPath ? folder.appendingPathComponent(identifier.rawValue) : nil
    }

    /// `nil` for a file outside of the folder.
    func identifier(at url: URL) -> NSFileProviderItemIdentifier? {
        let base = folder.pathComponents
        let parts = url.standardizedFileURL.pathComponents
        guard parts.starts(with: base) else { return nil }
        let own = parts.dropFirst(base.count)
        return own.isEmpty ? .rootContainer : NSFileProviderItemIdentifier(own.joined(separator: "/"))
    }
}
