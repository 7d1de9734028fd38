import FileProvider
import Foundation
import ScriptableService

/// An enumerator of a directory of the service. Only the working set reports changes, because the system requests
/// changes only of the working set.
final class ReplicaEnumerator: NSObject, NSFileProviderEnumerator {
    private let client: ServiceClient
    /// The identifier of the directory; `nil` for the working set.
    private let container: String?

    init(_ client: ServiceClient, _ container: String?) {
        self.client = client
        self.container = container
    }

    func invalidate() {}

    func enumerateItems(for observer: any NSFileProviderEnumerationObserver, startingAt page: NSFileProviderPage) {
        guard let container else { return observer.finishEnumerating(upTo: nil) }
        do {
            let start = Int(String(decoding: page.rawValue, as: UTF8.self))
            let answer = try client.ask(.page(of: container, after: start, limit: observer.suggestedPageSize ?? 500))
            guard case .page(let items, let next) = answer else { throw CloudError.broken }
            observer.didEnumerate(items.map { ServiceItem($0) })
            observer.finishEnumerating(upTo: next.map { NSFileProviderPage(Data("\($0)".utf8)) })
        } catch {
            observer.finishEnumeratingWithError(ServiceClient.error(error))
        }
    }

    func enumerateChanges(for observer: any NSFileProviderChangeObserver, from anchor: NSFileProviderSyncAnchor) {
        do {
            guard container == nil, let start = Int(String(decoding: anchor.rawValue, as: UTF8.self)) else {
                throw CloudError.anchorExpired
            }
            let answer = try client.ask(.changes(since: start, limit: observer.suggestedBatchSize ?? 500))
            guard case .changes(let updated, let deleted, let end, let moreComing) = answer else {
                throw CloudError.broken
            }
            observer.didUpdate(updated.map { ServiceItem($0) })
            observer.didDeleteItems(withIdentifiers: deleted.map(ServiceItem.identifier))
            observer.finishEnumeratingChanges(
                upTo: NSFileProviderSyncAnchor(Data("\(end)".utf8)), moreComing: moreComing)
        } catch {
            observer.finishEnumeratingWithError(ServiceClient.error(error))
        }
    }

    func currentSyncAnchor(completionHandler: @escaping @Sendable (NSFileProviderSyncAnchor?) -> Void) {
        guard container == nil, case .anchor(let anchor) = try? client.ask(.anchor) else {
            return completionHandler(nil)
        }
        completionHandler(NSFileProviderSyncAnchor(Data("\(anchor)".utf8)))
    }
}
