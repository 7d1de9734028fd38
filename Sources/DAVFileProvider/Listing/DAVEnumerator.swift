import FileProvider
import Foundation
import FoundationAdditions
import LinuxSystem

/// The enumerator of the items and changes of one folder, or of the changes of all folders for the working set.
final class DAVEnumerator: NSObject, NSFileProviderEnumerator, Sendable {
    private let work: DAVWork
    /// The folder; `nil` for the working set.
    private let folder: NSFileProviderItemIdentifier?

    init(_ work: DAVWork, _ folder: NSFileProviderItemIdentifier?) {
        self.work = work
        self.folder = folder
    }

    func invalidate() {}

    private static let batchSizes = 100...5_000

    func enumerateItems(for observer: any NSFileProviderEnumerationObserver, startingAt page: NSFileProviderPage) {
        let isFirst =
            page == NSFileProviderPage(NSFileProviderPage.initialPageSortedByName as Data)
            || page == NSFileProviderPage(NSFileProviderPage.initialPageSortedByDate as Data)
        let size = observer.suggestedPageSize ?? 500
        let token = isFirst ? nil : String(decoding: page.rawValue, as: UTF8.self)
        let (work, folder, observer) = (work, folder, Disconnected(observer))
        Task {
            let result: Result<FolderListings.Page, any Error>
            do {
                // The working set lists no items. It only reports changes.
                guard let folder else { throw EmptySet() }
                let page: FolderListings.Page
                if let token {
                    page = try await work.listings.next(token, size: size)
                } else {
                    page = try await work.list(folder, size: size)
                }
                result = .success(page)
            } catch {
                result = .failure(error)
            }
            HandlerThreads.shared.run {
                switch result {
                case .success(let page):
                    observer.value.didEnumerate(page.items.map { work.account.object($0) })
                    observer.value.finishEnumerating(upTo: page.next.map { NSFileProviderPage(Data($0.utf8)) })
                case .failure(is EmptySet): observer.value.finishEnumerating(upTo: nil)
                case .failure(let error): observer.value.finishEnumeratingWithError(SystemErrors.error(error))
                }
            }
        }
    }

    private struct EmptySet: Error {}

    func enumerateChanges(for observer: any NSFileProviderChangeObserver, from anchor: NSFileProviderSyncAnchor) {
        let limit = min(
            max(observer.suggestedBatchSize ?? 0, Self.batchSizes.lowerBound), Self.batchSizes.upperBound)
        let (work, folder, observer) = (work, folder, Disconnected(observer))
        Task {
            let result: Result<FoundChanges, any Error>
            do {
                result = .success(try await work.changes(since: anchor, in: folder, limit: limit))
            } catch {
                result = .failure(error)
            }
            HandlerThreads.shared.run {
                switch result {
                case .success(let changes):
                    if !changes.updated.isEmpty {
                        observer.value.didUpdate(changes.updated.map { work.account.object($0) })
                    }
                    if !changes.deleted.isEmpty {
                        observer.value.didDeleteItems(
                            withIdentifiers: changes.deleted.map { work.account.identifier(of: $0) })
                    }
                    observer.value.finishEnumeratingChanges(
                        upTo: work.anchor(changes.anchor), moreComing: !changes.isComplete)
                case .failure(let error): observer.value.finishEnumeratingWithError(SystemErrors.error(error))
                }
            }
        }
    }

    func currentSyncAnchor(completionHandler: @escaping @Sendable (NSFileProviderSyncAnchor?) -> Void) {
        let work = work
        Task {
            let change = try? await work.account.catalogue.perform { try $0.last("change") }
            completionHandler(change.map { work.anchor($0) })
        }
    }
}
