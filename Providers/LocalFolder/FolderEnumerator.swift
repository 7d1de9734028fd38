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
            let catalogue = try provider.catalogue()
            let (items, next) = try catalogue.perform { catalogue in
                // The working set lists only items with user metadata; every other known change is in the change
                // feed.
                guard let folder else {
                    let items = try catalogue.markedItems(after: Self.number(isFirst ? nil : page), limit: size)
                    return (items, items.count < size ? nil : items.last.map { Data("\($0.number)".utf8) })
                }
                let listed = try catalogue.page(of: folder, after: Self.name(isFirst ? nil : page), limit: size)
                return (listed.items, listed.next.map { Self.token($0) })
            }
            observer.didEnumerate(provider.items(items))
            observer.finishEnumerating(upTo: next.map { NSFileProviderPage($0) })
        } catch {
            observer.finishEnumeratingWithError(provider.error(error))
        }
    }

    /// The page tokens of a directory. A name never contains this character, so that no token equals that of a first
    /// page.
    private static let tokenMark = UInt8(ascii: "/")

    private static func token(_ name: [UInt8]) -> Data { Data([tokenMark] + name) }

    /// Returns the name after which a page begins; empty for the first one.
    private static func name(_ page: NSFileProviderPage?) throws -> [UInt8] {
        guard let page else { return [] }
        guard page.rawValue.first == tokenMark, page.rawValue.count > 1 else { throw NSFileProviderError(.pageExpired) }
        return Array(page.rawValue.dropFirst())
    }

    /// Returns the number after which a page of the working set begins.
    private static func number(_ page: NSFileProviderPage?) throws -> Int64 {
        guard let page else { return 0 }
        guard let number = Int64(String(decoding: page.rawValue, as: UTF8.self)) else {
            throw NSFileProviderError(.pageExpired)
        }
        return number
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
