import FileProvider
import Foundation

/// An enumerator that lists a directory of the catalogue, or misbehaves as the container's name states.
final class PeerEnumerator: NSObject, NSFileProviderEnumerator {
    private let container: String
    private let catalogue: Catalogue
    private let note: (String) -> Void

    init(_ container: String, _ catalogue: Catalogue, note: @escaping (String) -> Void) {
        self.container = container
        self.catalogue = catalogue
        self.note = note
    }

    func invalidate() { note("invalidate \(container)") }

    func enumerateItems(for observer: any NSFileProviderEnumerationObserver, startingAt page: NSFileProviderPage) {
        let isFirst =
            page == NSFileProviderPage.initialPageSortedByName as NSFileProviderPage
            || page == NSFileProviderPage.initialPageSortedByDate as NSFileProviderPage
        switch container {
        case "list-never": break
        case "list-blocks": while true { sleep(1000) }
        case "list-crashes", NSFileProviderItemIdentifier.trashContainer.rawValue: abort()
        case "list-eats":
            var eaten: [Data] = []
            while true { eaten.append(Data(repeating: 1, count: 1 << 20)) }
        case "list-twice":
            observer.didEnumerate([item("a")])
            observer.finishEnumerating(upTo: nil)
            observer.didEnumerate([item("b")])
            observer.finishEnumerating(upTo: NSFileProviderPage(Data("more".utf8)))
            observer.finishEnumeratingWithError(NSFileProviderError(.serverUnreachable))
        case "list-late":
            // Sendable in effect: no other thread uses it.
            nonisolated(unsafe) let observer = observer
            DispatchQueue.global().asyncAfter(deadline: .now() + 0.3) {
                observer.didEnumerate([self.item("late")])
                observer.finishEnumerating(upTo: nil)
            }
        case "list-oversized-page":
            observer.didEnumerate([item("a")])
            observer.finishEnumerating(upTo: NSFileProviderPage(Data(repeating: 1, count: 501)))
        case "list-largest-page":
            observer.didEnumerate([item("a")])
            observer.finishEnumerating(upTo: isFirst ? NSFileProviderPage(Data(repeating: 1, count: 500)) : nil)
        case "list-million": million(observer, isFirst ? 0 : Int(String(decoding: page.rawValue, as: UTF8.self)) ?? 0)
        case "list-everything-at-once": observer.didEnumerate((0..<100_000).map { item("\($0)") })
        case "list-too-many-and-unusable":
            observer.didEnumerate(tooManyAndUnusable)
            observer.finishEnumerating(upTo: nil)
        case "list-reserved":
            observer.didEnumerate([
                item("a"), PeerItem(Entry(identifier: "purvey-local:1", parent: container, name: "x")),
                PeerItem(
                    Entry(identifier: NSFileProviderItemIdentifier.rootContainer.rawValue, parent: "a", name: "y")),
            ])
            observer.finishEnumerating(upTo: nil)
        case "list-excessive":
            observer.didEnumerate(excessive)
            observer.finishEnumerating(upTo: nil)
        case "list-foreign-error":
            struct Foreign: Error {}
            observer.finishEnumeratingWithError(Foreign())
        case "list-\u{E9}":
            // This case matches both normal forms of the name, because they are equal strings.
            observer.didEnumerate([item("\(container.utf8.count)")])
            observer.finishEnumerating(upTo: nil)
        default:
            observer.didEnumerate(catalogue.children(of: container).map { PeerItem($0) })
            observer.finishEnumerating(upTo: nil)
        }
    }

    func enumerateChanges(for observer: any NSFileProviderChangeObserver, from anchor: NSFileProviderSyncAnchor) {
        switch container {
        case "list-oversized-page":
            observer.finishEnumeratingChanges(
                upTo: NSFileProviderSyncAnchor(Data(repeating: 1, count: 501)), moreComing: false)
        case "list-twice":
            observer.didUpdate([item("a"), item("b")])
            observer.didDeleteItems(withIdentifiers: [NSFileProviderItemIdentifier("list-twice/b")])
            observer.finishEnumeratingChanges(upTo: NSFileProviderSyncAnchor(Data("2".utf8)), moreComing: true)
            observer.finishEnumeratingChanges(upTo: NSFileProviderSyncAnchor(Data("3".utf8)), moreComing: false)
        case "list-forms":
            observer.didUpdate([item("\u{E9}"), item("o\u{308}")])
            let deleted = ["e\u{301}", "\u{F6}", "a\u{308}"].map { NSFileProviderItemIdentifier(container + "/" + $0) }
            observer.didDeleteItems(withIdentifiers: deleted)
            observer.didUpdate([item("\u{E4}")])
            observer.finishEnumeratingChanges(upTo: NSFileProviderSyncAnchor(Data("2".utf8)), moreComing: false)
        case "list-excessive":
            observer.didUpdate(excessive)
            observer.finishEnumeratingChanges(upTo: NSFileProviderSyncAnchor(Data("2".utf8)), moreComing: false)
        case "list-too-many-and-unusable":
            observer.didUpdate(tooManyAndUnusable)
            observer.finishEnumeratingChanges(upTo: NSFileProviderSyncAnchor(Data("2".utf8)), moreComing: false)
        default: observer.finishEnumeratingWithError(NSFileProviderError(.syncAnchorExpired))
        }
    }

    func currentSyncAnchor(completionHandler: @escaping @Sendable (NSFileProviderSyncAnchor?) -> Void) {
        switch container {
        case "list-twice": completionHandler(NSFileProviderSyncAnchor(Data("1".utf8)))
        case "list-oversized-page": completionHandler(NSFileProviderSyncAnchor(Data(repeating: 1, count: 501)))
        default: completionHandler(nil)
        }
    }

    /// Two results that are accepted, although one is too large, and three that are rejected.
    private var excessive: [any NSFileProviderItem] {
        let long = String(repeating: "i", count: 10_000)
        return [
            ExcessiveItem("", in: container), item("a"), ExcessiveItem(long, in: container),
            ExcessiveItem(container + "/b", in: container), ExcessiveItem(container + "/c", in: long),
        ]
    }

    /// An unusable item, and 1,001 usable ones.
    private var tooManyAndUnusable: [any NSFileProviderItem] {
        [ExcessiveItem("", in: container)] + (0...1_000).map { item("\($0)") }
    }

    private func item(_ name: String) -> PeerItem {
        PeerItem(Entry(identifier: container + "/" + name, parent: container, name: name))
    }

    private func million(_ observer: any NSFileProviderEnumerationObserver, _ start: Int) {
        let size = observer.suggestedPageSize ?? 100
        let end = min(start + size, 1_000_000)
        observer.didEnumerate((start..<end).map { item("item \($0).txt") })
        observer.finishEnumerating(upTo: end < 1_000_000 ? NSFileProviderPage(Data("\(end)".utf8)) : nil)
    }
}
