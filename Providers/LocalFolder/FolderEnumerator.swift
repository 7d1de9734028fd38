import FileProvider
import Foundation

/// Enumerates the items and the changes of one directory, or the changes of all directories as the working set.
///
/// The system calls it on threads that may block.
final class FolderEnumerator: NSObject, NSFileProviderEnumerator {
    private let provider: LocalFolderExtension
    /// The number of the directory; `nil` for the working set.
    private let folder: Int64?

    init(_ provider: LocalFolderExtension, _ folder: Int64?) {
        self.provider = provider
        self.folder = folder
    }

    func invalidate() {}

    /// The limits of a page's size. The observer's suggestion is followed within them.
    private static let pageSizes = 500...5000

    private static func size(_ suggestion: Int?) -> Int {
        min(max(suggestion ?? 0, pageSizes.lowerBound), pageSizes.upperBound)
    }

    func enumerateItems(for observer: any NSFileProviderEnumerationObserver, startingAt page: NSFileProviderPage) {
        let size = Self.size(observer.suggestedPageSize)
        let isFirst =
            page == NSFileProviderPage(NSFileProviderPage.initialPageSortedByName as Data)
            || page == NSFileProviderPage(NSFileProviderPage.initialPageSortedByDate as Data)
        do {
            let start = isFirst ? 0 : Int64(String(decoding: page.rawValue, as: UTF8.self))
            guard let start else { throw NSFileProviderError(.pageExpired) }
            let items = try provider.catalogue().perform { catalogue in
                // The working set lists only items with user metadata; every other known change is in the change
                // feed.
                guard let folder else { return try catalogue.markedItems(after: start, limit: size) }
                // The following pages are of the same listing. Later changes are in the change feed.
                if isFirst { try catalogue.lookAt(folder) }
                return try catalogue.children(of: folder, after: start, limit: size)
            }
            observer.didEnumerate(provider.items(items))
            let next = items.count < size ? nil : items.last.map { NSFileProviderPage(Data("\($0.number)".utf8)) }
            observer.finishEnumerating(upTo: next)
        } catch {
            observer.finishEnumeratingWithError(provider.error(error))
        }
    }

    func enumerateChanges(for observer: any NSFileProviderChangeObserver, from syncAnchor: NSFileProviderSyncAnchor) {
        do {
            let catalogue = try provider.catalogue()
            let size = Self.size(observer.suggestedBatchSize)
            if folder == nil { catalogue.watches.wasAsked() }
            let changes = try catalogue.perform { catalogue in
                if let folder { try catalogue.lookAtNews(in: folder) } else { _ = try catalogue.lookAtNews() }
                return try catalogue.changes(since: Array(syncAnchor.rawValue), in: folder, limit: size)
            }
            guard let changes else { throw NSFileProviderError(.syncAnchorExpired) }
            if !changes.updated.isEmpty { observer.didUpdate(provider.items(changes.updated)) }
            if !changes.deleted.isEmpty {
                observer.didDeleteItems(withIdentifiers: changes.deleted.map { NSFileProviderItemIdentifier($0) })
            }
            observer.finishEnumeratingChanges(
                upTo: NSFileProviderSyncAnchor(Data(changes.anchor)), moreComing: !changes.isComplete)
        } catch {
            observer.finishEnumeratingWithError(provider.error(error))
        }
    }

    func currentSyncAnchor(completionHandler: @escaping @Sendable (NSFileProviderSyncAnchor?) -> Void) {
        let anchor = try? provider.catalogue().perform { try $0.anchor() }
        completionHandler(anchor.map { NSFileProviderSyncAnchor(Data($0)) })
    }
}
