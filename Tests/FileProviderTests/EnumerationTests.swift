import FileProvider
import Foundation
import Testing

@Suite struct EnumerationTests {
    /// An enumerator with only the required methods.
    private final class BareEnumerator: NSObject, NSFileProviderEnumerator {
        func invalidate() {}
        func enumerateItems(
            for observer: any NSFileProviderEnumerationObserver, startingAt page: NSFileProviderPage
        ) {
            observer.didEnumerate((0..<(observer.suggestedPageSize ?? 3)).map { BareItem("\($0)") })
            observer.finishEnumerating(upTo: nil)
        }
    }

    private final class AsyncEnumerator: NSObject, NSFileProviderEnumerator {
        func invalidate() {}
        func enumerateItems(
            for observer: any NSFileProviderEnumerationObserver, startingAt page: NSFileProviderPage
        ) { observer.finishEnumeratingWithError(NSFileProviderError(.pageExpired)) }
        func enumerateChanges(
            for observer: any NSFileProviderChangeObserver, from syncAnchor: NSFileProviderSyncAnchor
        ) {
            observer.didUpdate([BareItem("a")])
            observer.didDeleteItems(withIdentifiers: (0..<(observer.suggestedBatchSize ?? 2)).map { .init("\($0)") })
            observer.finishEnumeratingChanges(upTo: syncAnchor, moreComing: true)
        }
        func currentSyncAnchor() async -> NSFileProviderSyncAnchor? { NSFileProviderSyncAnchor(Data([1])) }
    }

    private final class HandlerEnumerator: NSObject, NSFileProviderEnumerator {
        func invalidate() {}
        func enumerateItems(
            for observer: any NSFileProviderEnumerationObserver, startingAt page: NSFileProviderPage
        ) {}
        func currentSyncAnchor(completionHandler: @escaping (NSFileProviderSyncAnchor?) -> Void) {
            completionHandler(NSFileProviderSyncAnchor(Data([2])))
            completionHandler(NSFileProviderSyncAnchor(Data([3])))
        }
    }

    private final class ItemObserver: NSObject, NSFileProviderEnumerationObserver {
        var items: [any NSFileProviderItem] = []
        var error: (any Error)?
        var isFinished = false
        func didEnumerate(_ updatedItems: [any NSFileProviderItem]) { items += updatedItems }
        func finishEnumerating(upTo nextPage: NSFileProviderPage?) { isFinished = true }
        func finishEnumeratingWithError(_ error: any Error) { self.error = error }
    }
    private final class SizedObserver: NSObject, NSFileProviderEnumerationObserver {
        let suggestedPageSize = 7
        var count = 0
        func didEnumerate(_ updatedItems: [any NSFileProviderItem]) { count += updatedItems.count }
        func finishEnumerating(upTo nextPage: NSFileProviderPage?) {}
        func finishEnumeratingWithError(_ error: any Error) {}
    }

    private final class ChangeObserver: NSObject, NSFileProviderChangeObserver {
        var updated = 0
        var deleted: [NSFileProviderItemIdentifier] = []
        var end: (NSFileProviderSyncAnchor, Bool)?
        var error: (any Error)?
        func didUpdate(_ updatedItems: [any NSFileProviderItem]) { updated += updatedItems.count }
        func didDeleteItems(withIdentifiers deletedItemIdentifiers: [NSFileProviderItemIdentifier]) {
            deleted += deletedItemIdentifiers
        }
        func finishEnumeratingChanges(upTo anchor: NSFileProviderSyncAnchor, moreComing: Bool) {
            end = (anchor, moreComing)
        }
        func finishEnumeratingWithError(_ error: any Error) { self.error = error }
    }
    private final class SizedChangeObserver: NSObject, NSFileProviderChangeObserver {
        let suggestedBatchSize = 5
        var deleted = 0
        func didUpdate(_ updatedItems: [any NSFileProviderItem]) {}
        func didDeleteItems(withIdentifiers deletedItemIdentifiers: [NSFileProviderItemIdentifier]) {
            deleted += deletedItemIdentifiers.count
        }
        func finishEnumeratingChanges(upTo anchor: NSFileProviderSyncAnchor, moreComing: Bool) {}
        func finishEnumeratingWithError(_ error: any Error) {}
    }

    @Test func anObserverMaySayHowMuchItWants() {
        let enumerator: any NSFileProviderEnumerator = BareEnumerator()
        let plain = ItemObserver()
        enumerator.enumerateItems(
            for: plain, startingAt: NSFileProviderPage.initialPageSortedByName as NSFileProviderPage)
        #expect(plain.items.count == 3)
        #expect(plain.isFinished)
        let sized = SizedObserver()
        enumerator.enumerateItems(for: sized, startingAt: NSFileProviderPage(Data()))
        #expect(sized.count == 7)
        let changes = SizedChangeObserver()
        AsyncEnumerator().enumerateChanges(for: changes, from: NSFileProviderSyncAnchor(Data()))
        #expect(changes.deleted == 5)
    }

    @Test func anEnumeratorWithoutChangesSaysThatEverythingHasChanged() async {
        let enumerator: any NSFileProviderEnumerator = BareEnumerator()
        let observer = ChangeObserver()
        enumerator.enumerateChanges?(for: observer, from: NSFileProviderSyncAnchor(Data()))
        #expect((observer.error as? NSFileProviderError)?.code == .syncAnchorExpired)
        #expect(await enumerator.currentSyncAnchor() == nil)
        let anchor = await withCheckedContinuation { continuation in
            enumerator.currentSyncAnchor?(completionHandler: { continuation.resume(returning: $0) })
        }
        #expect(anchor == nil)
        enumerator.invalidate()
    }

    @Test func anchorsAreAskedInEitherForm() async {
        for (enumerator, byte) in [(AsyncEnumerator(), 1), (HandlerEnumerator(), 2)]
            as [(any NSFileProviderEnumerator, UInt8)]
        {
            #expect(await enumerator.currentSyncAnchor() == NSFileProviderSyncAnchor(Data([byte])))
        }
        let anchor = await withCheckedContinuation { continuation in
            AsyncEnumerator().currentSyncAnchor { continuation.resume(returning: $0) }
        }
        #expect(anchor == NSFileProviderSyncAnchor(Data([1])))
    }

    @Test func changesAreTold() {
        let enumerator: any NSFileProviderEnumerator = AsyncEnumerator()
        let observer = ChangeObserver()
        enumerator.enumerateChanges(for: observer, from: NSFileProviderSyncAnchor(Data([9])))
        #expect(observer.updated == 1)
        #expect(observer.deleted.map { $0.rawValue } == ["0", "1"])
        #expect(observer.end?.0 == NSFileProviderSyncAnchor(Data([9])))
        #expect(observer.end?.1 == true)
        let items = ItemObserver()
        enumerator.enumerateItems(for: items, startingAt: NSFileProviderPage(Data()))
        #expect(items.error != nil)
    }
}
