import FileProvider
import Foundation
import ScriptableService
import UniformTypeIdentifiers

/// Searches, which the service performs.
extension ScriptableProvider: NSFileProviderSearching {
    func searchEnumerator(
        for request: NSFileProviderStringSearchRequest
    ) -> any NSFileProviderSearchEnumerator { ServiceSearch(self, request.query) }
}

/// An enumerator of the service's results, page by page.
private final class ServiceSearch: NSObject, NSFileProviderSearchEnumerator {
    private let provider: ScriptableProvider
    private let query: String

    init(_ provider: ScriptableProvider, _ query: String) {
        self.provider = provider
        self.query = query
    }

    func invalidate() {}

    func enumerateSearchResults(
        for observer: any NSFileProviderSearchEnumerationObserver, startingAt page: NSFileProviderPage?
    ) {
        let start = page.flatMap { Int(String(decoding: $0.rawValue, as: UTF8.self)) }
        do {
            let limit = observer.maximumNumberOfResultsPerPage
            guard case .page(let items, let next) = try provider.client.ask(.search(query, after: start, limit: limit))
            else { throw CloudError.broken }
            observer.didEnumerate(items.map { FoundItem(item: ServiceItem($0)) })
            observer.finishEnumerating(upTo: next.map { NSFileProviderPage(Data("\($0)".utf8)) })
        } catch {
            observer.finishEnumeratingWithError(ServiceClient.error(error))
        }
    }
}

/// An item that the service has found.
private struct FoundItem: NSFileProviderSearchResult {
    let item: ServiceItem

    var itemIdentifier: NSFileProviderItemIdentifier { item.itemIdentifier }
    var filename: String { item.filename }
    var creationDate: Date? { nil }
    var contentModificationDate: Date? { item.contentModificationDate }
    var lastUsedDate: Date? { nil }
    var contentType: UTType { item.contentType }
    var documentSize: NSNumber? { item.documentSize }
}
