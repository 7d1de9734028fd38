import FileProvider
import Foundation
import LinuxSystem

/// Reads the set of materialized items, from all pages of its enumerator.
enum MaterializedItems {
    /// Returns the identifiers of the items in the set. If a page fails, returns the identifiers from the earlier
    /// pages.
    static func all(_ enumerator: any NSFileProviderEnumerator) async -> [NSFileProviderItemIdentifier] {
        var found: [NSFileProviderItemIdentifier] = []
        var page: NSFileProviderPage? = NSFileProviderPage(NSFileProviderPage.initialPageSortedByName as Data)
        while let current = page {
            let (items, next) = await withCheckedContinuation { continuation in
                enumerator.enumerateItems(
                    for: SetPageObserver { continuation.resume(returning: ($0, $1)) }, startingAt: current)
            }
            found += items
            page = next
        }
        enumerator.invalidate()
        return found
    }
}

/// An observer that collects the identifiers of the items on one page. At the end of the page, it passes them to a
/// closure together with the next page, which is `nil` after the last page or an error.
private final class SetPageObserver: NSObject, NSFileProviderEnumerationObserver, Sendable {
    typealias Finish = @Sendable ([NSFileProviderItemIdentifier], NSFileProviderPage?) -> Void

    // Leaf lock.
    private let state: Lock<(items: [NSFileProviderItemIdentifier], finish: Finish?)>

    init(_ finish: @escaping Finish) { state = Lock(([], finish)) }

    func didEnumerate(_ updatedItems: [any NSFileProviderItem]) {
        let identifiers = updatedItems.map(\.itemIdentifier)
        state.withLock { $0.items += identifiers }
    }

    func finishEnumerating(upTo nextPage: NSFileProviderPage?) { end(nextPage) }

    func finishEnumeratingWithError(_ error: any Error) { end(nil) }

    private func end(_ page: NSFileProviderPage?) {
        let (items, finish) = state.withLock { state in (state.items, state.finish.take()) }
        finish?(items, page)
    }
}
