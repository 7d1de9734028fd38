import FileProviderWire
import Foundation
import ItemValues
import LinuxSystem

/// The items that an enumerator has reported, on any thread, before it finished for the first time.
///
/// Items are read when they are reported, because the provider's code may change them afterwards. Invalid items are
/// left out.
private struct Collected<Finish: Sendable>: Sendable {
    var updated: [ProviderItem] = []
    var deleted: [String] = []
    /// The number of reported items, including invalid ones.
    var count = 0
    /// The completion handler; `nil` after it was called.
    var finish: (@Sendable (Finish) -> Void)?
}

/// The result of an enumeration of items.
typealias PageResult = Result<ProviderPage, ProviderError>
/// The result of an enumeration of changes.
typealias ChangesResult = Result<ProviderChanges, ProviderError>

/// An observer that collects one page of items.
final class PageObserver: NSObject, NSFileProviderEnumerationObserver, Sendable {
    private let size: Int
    // Leaf lock: items are read before it is taken, and the result is reported after it is released.
    private let collected: Lock<Collected<PageResult>>

    /// Creates an observer.
    ///
    /// - Parameter finish: called once, on the thread on which the enumerator finishes.
    init(suggestedSize: Int, finish: @escaping @Sendable (PageResult) -> Void) {
        size = suggestedSize
        collected = Lock(Collected(finish: finish))
        super.init()
    }

    var suggestedPageSize: Int { size }

    func didEnumerate(_ updatedItems: [any NSFileProviderItem]) {
        guard collected.withLock({ $0.finish != nil }) else { return }
        let most = size * ProviderWire.pageFactor
        let reported = updatedItems.prefix(most + 1)
        let items = reported.compactMap { ProviderItem(usable: $0) }
        let count = collected.withLock { collected in
            // Most enumerators report a page with a single call. Its items are not copied.
            if collected.updated.isEmpty { collected.updated = items } else { collected.updated += items }
            collected.count += reported.count
            return collected.count
        }
        if count > most { end(.failure(.tooMany(count, suggested: size))) }
    }

    func finishEnumerating(upTo nextPage: NSFileProviderPage?) {
        let next = nextPage.map { [UInt8]($0.rawValue) }
        let items = collected.withLock { $0.updated }
        end(.success(ProviderPage(items: items, next: next)))
    }

    func finishEnumeratingWithError(_ error: any Error) { end(.failure(ProviderError(error))) }

    private func end(_ result: PageResult) {
        let finish = collected.withLock { collected in
            collected.updated = []
            return collected.finish.take()
        }
        finish?(result)
    }
}

/// An observer that collects one batch of changes.
final class ChangesObserver: NSObject, NSFileProviderChangeObserver, Sendable {
    private let size: Int
    // Leaf lock, as in ``PageObserver``.
    private let collected: Lock<Collected<ChangesResult>>

    /// Creates an observer.
    ///
    /// - Parameter finish: called once, on the thread on which the enumerator finishes.
    init(suggestedSize: Int, finish: @escaping @Sendable (ChangesResult) -> Void) {
        size = suggestedSize
        collected = Lock(Collected(finish: finish))
        super.init()
    }

    var suggestedBatchSize: Int { size }

    func didUpdate(_ updatedItems: [any NSFileProviderItem]) {
        guard collected.withLock({ $0.finish != nil }) else { return }
        let reported = updatedItems.prefix(size * ProviderWire.pageFactor + 1)
        let items = reported.compactMap { ProviderItem(usable: $0) }
        collect(reported.count) { collected in
            // An item that is reported as deleted and later as updated exists.
            let identifiers = Set(texts: items.map(\.identifier))
            collected.deleted.removeAll { identifiers.contains($0) }
            collected.updated += items
        }
    }

    func didDeleteItems(withIdentifiers deletedItemIdentifiers: [NSFileProviderItemIdentifier]) {
        let deleted = deletedItemIdentifiers.prefix(size * ProviderWire.pageFactor + 1).map(\.rawValue)
        collect(deleted.count) { collected in
            let identifiers = Set(texts: deleted)
            collected.updated.removeAll { identifiers.contains($0.identifier) }
            collected.deleted += deleted
        }
    }

    func finishEnumeratingChanges(upTo anchor: NSFileProviderSyncAnchor, moreComing: Bool) {
        let changes = collected.withLock { collected in
            ProviderChanges(
                updated: collected.updated, deleted: collected.deleted, anchor: [UInt8](anchor.rawValue),
                moreComing: moreComing)
        }
        end(.success(changes))
    }

    func finishEnumeratingWithError(_ error: any Error) { end(.failure(ProviderError(error))) }

    private func collect(_ reported: Int, _ body: @Sendable (inout Collected<ChangesResult>) -> Void) {
        let count = collected.withLock { collected -> Int in
            guard collected.finish != nil else { return 0 }
            body(&collected)
            collected.count += reported
            return collected.count
        }
        if count > size * ProviderWire.pageFactor { end(.failure(.tooMany(count, suggested: size))) }
    }

    private func end(_ result: ChangesResult) {
        let finish = collected.withLock { collected in
            (collected.updated, collected.deleted) = ([], [])
            return collected.finish.take()
        }
        finish?(result)
    }
}

extension ProviderError {
    fileprivate static func tooMany(_ count: Int, suggested: Int) -> ProviderError {
        ProviderError(
            .badAnswer, message: "the provider reported \(count) items at once instead of the suggested \(suggested)")
    }
}
