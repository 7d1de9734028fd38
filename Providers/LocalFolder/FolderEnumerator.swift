import FileProvider
import Foundation

/// Lists one folder, and tells what changes in it; or in everything, as the working set.
///
/// The system asks on threads that may block.
final class FolderEnumerator: NSObject, NSFileProviderEnumerator {
    private let provider: LocalFolderExtension
    /// `nil` is the working set.
    private let folder: Int64?

    init(_ provider: LocalFolderExtension, _ folder: Int64?) {
        self.provider = provider
        self.folder = folder
    }

    func invalidate() {}

    /// Items of a page; a suggestion within reason is followed.
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
                // Everything else that is known to have changed is told as a change.
                guard let folder else { return try catalogue.markedItems(after: start, limit: size) }
                // The pages that follow are of the same look at it; what has changed since is told as a change.
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
