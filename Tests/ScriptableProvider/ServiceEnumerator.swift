import FileProvider
import Foundation
import ScriptableService

/// An enumerator of a directory of the service. It reports the changes of all directories.
final class ServiceEnumerator: NSObject, NSFileProviderEnumerator {
    private let provider: ScriptableProvider
    /// The identifier of the directory; `nil` for the working set.
    private let container: String?

    init(_ provider: ScriptableProvider, _ container: String?) {
        self.provider = provider
        self.container = container
    }

    func invalidate() {}

    func enumerateItems(for observer: any NSFileProviderEnumerationObserver, startingAt page: NSFileProviderPage) {
        guard let container else { return observer.finishEnumerating(upTo: nil) }
        let start = Int(String(decoding: page.rawValue, as: UTF8.self))
        do {
            let answer = try provider.client.ask(
                .page(of: container, after: start, limit: observer.suggestedPageSize ?? 500))
            guard case .page(let items, let next) = answer else { throw CloudError.broken }
            provider.hoard()
            observer.didEnumerate(
                items.map { provider.told($0) } + (start == nil ? provider.newItems(in: container) : []))
            observer.finishEnumerating(upTo: next.map { NSFileProviderPage(Data("\($0)".utf8)) })
        } catch {
            observer.finishEnumeratingWithError(ServiceClient.error(error))
        }
    }

    func enumerateChanges(for observer: any NSFileProviderChangeObserver, from anchor: NSFileProviderSyncAnchor) {
        if provider.isNoisy { provider.signalWithoutEnd() }
        do {
            guard let start = Int(String(decoding: anchor.rawValue, as: UTF8.self)) else {
                throw CloudError.anchorExpired
            }
            let answer = try provider.client.ask(.changes(since: start, limit: observer.suggestedBatchSize ?? 500))
            guard case .changes(let updated, let deleted, let end, let moreComing) = answer else {
                throw CloudError.broken
            }
            observer.didUpdate(updated.map { provider.told($0) } + (moreComing ? [] : provider.pendingItems()))
            observer.didDeleteItems(withIdentifiers: deleted.map(ServiceItem.identifier))
            observer.finishEnumeratingChanges(
                upTo: NSFileProviderSyncAnchor(Data("\(end)".utf8)), moreComing: moreComing)
        } catch {
            observer.finishEnumeratingWithError(ServiceClient.error(error))
        }
    }

    func currentSyncAnchor(completionHandler: @escaping @Sendable (NSFileProviderSyncAnchor?) -> Void) {
        guard case .anchor(let anchor) = try? provider.client.ask(.anchor) else { return completionHandler(nil) }
        completionHandler(NSFileProviderSyncAnchor(Data("\(anchor)".utf8)))
    }
}
