import FileProvider
import FileTesting
import Foundation
import LocalFolder

/// The extension as tests drive it: without a system around it.
extension LocalFolderExtension {
    /// Serves a folder; `nil` for a domain that names none.
    ///
    /// - Parameter own: the folder for what is the extension's own.
    convenience init(serving folder: TestFolder?, own: TestFolder) {
        let domain = NSFileProviderDomain(
            identifier: NSFileProviderDomainIdentifier("test"), displayName: "Test", pathRelativeToDocumentStorage: "")
        domain.userInfo = folder.map { ["path": $0.path] }
        self.init(domain: domain, storage: URL(fileURLWithPath: own.path, isDirectory: true))
    }

    /// The first page of a folder.
    func list(_ container: NSFileProviderItemIdentifier = .rootContainer) throws -> [ProviderItem] {
        let observer = PageWitness()
        try enumerator(for: container).enumerateItems(
            for: observer, startingAt: NSFileProviderPage(NSFileProviderPage.initialPageSortedByName as Data))
        if let error = observer.error { throw error }
        return observer.items
    }
}

/// The extension answers on the thread that asks.
final class PageWitness: NSObject, NSFileProviderEnumerationObserver {
    private(set) var items: [ProviderItem] = []
    private(set) var next: NSFileProviderPage?
    private(set) var error: (any Error)?

    func didEnumerate(_ updatedItems: [any NSFileProviderItem]) { items += updatedItems.map { ProviderItem($0) } }
    func finishEnumerating(upTo nextPage: NSFileProviderPage?) { next = nextPage }
    func finishEnumeratingWithError(_ error: any Error) { self.error = error }
}
