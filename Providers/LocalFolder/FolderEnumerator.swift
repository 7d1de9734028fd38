import FileProvider
import Foundation

/// The enumerator of the items and the changes of one directory, or of the changes of all directories as the working
/// set.
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

    /// The minimum and maximum number of items in a page. The size that the observer suggests is used if it is within
    /// these limits.
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
            let (items, next) = try items(isFirst ? nil : page, size)
            observer.didEnumerate(provider.items(items))
            observer.finishEnumerating(upTo: next.map { NSFileProviderPage($0) })
        } catch {
            observer.finishEnumeratingWithError(provider.error(error))
        }
    }

    /// Returns a page of items and the token of the next page.
    ///
    /// - Parameter page: the token; `nil` for the first page.
    private func items(_ page: NSFileProviderPage?, _ size: Int) throws -> (items: [CatalogueItem], next: Data?) {
        let catalogue = try provider.catalogue()
        guard let folder else {
            // The listing of the working set has only the items with user metadata. The change feed reports the changes
            // of all known items.
            let number = try page.map { try Self.number($0) } ?? 0
            let items = try catalogue.perform { try $0.markedItems(after: number, limit: size) }
            return (items, items.count < size ? nil : items.last.map { Data("\($0.number)".utf8) })
        }
        let name = try page.map { try Self.name($0) } ?? []
        let listed = try catalogue.perform { try $0.page(of: folder, after: name, limit: size) }
        return (listed.items, listed.next.map { Data([Self.tokenMark] + $0) })
    }

    /// The first byte of a directory's page tokens, before the name. It prevents a token from being equal to a system's
    /// token for the first page.
    private static let tokenMark = UInt8(ascii: "/")

    private static func name(_ page: NSFileProviderPage) throws -> [UInt8] {
        guard page.rawValue.first == tokenMark, page.rawValue.count > 1 else { throw NSFileProviderError(.pageExpired) }
        return Array(page.rawValue.dropFirst())
    }

    /// Returns the item number after which a page of the working set begins.
    private static func number(_ page: NSFileProviderPage) throws -> Int64 {
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
