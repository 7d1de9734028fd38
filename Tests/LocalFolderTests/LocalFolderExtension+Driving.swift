import FileProvider
import FileTesting
import Foundation
import ItemValues
import LocalFolder

/// Functions that drive the extension in tests, without a system around it.
extension LocalFolderExtension {
    /// Creates an extension that serves a directory, or a domain without a path if `folder` is `nil`.
    ///
    /// - Parameter own: The directory for the extension's own files.
    convenience init(serving folder: TestFolder?, own: TestFolder) {
        let domain = NSFileProviderDomain(
            identifier: NSFileProviderDomainIdentifier("test"), displayName: "Test", pathRelativeToDocumentStorage: "")
        domain.userInfo = folder.map { ["path": $0.path] }
        self.init(domain: domain, storage: URL(fileURLWithPath: own.path, isDirectory: true))
    }

    /// Returns the first page of a directory.
    func list(_ container: NSFileProviderItemIdentifier = .rootContainer) throws -> [ProviderItem] {
        let observer = PageWitness()
        try enumerator(for: container).enumerateItems(
            for: observer, startingAt: NSFileProviderPage(NSFileProviderPage.initialPageSortedByName as Data))
        if let error = observer.error { throw error }
        return observer.items
    }
}

/// An observer without a lock: the extension calls it on the thread that asks.
final class PageWitness: NSObject, NSFileProviderEnumerationObserver {
    private(set) var items: [ProviderItem] = []
    private(set) var next: NSFileProviderPage?
    private(set) var error: (any Error)?

    func didEnumerate(_ updatedItems: [any NSFileProviderItem]) { items += updatedItems.map { ProviderItem($0) } }
    func finishEnumerating(upTo nextPage: NSFileProviderPage?) { next = nextPage }
    func finishEnumeratingWithError(_ error: any Error) { self.error = error }
}
