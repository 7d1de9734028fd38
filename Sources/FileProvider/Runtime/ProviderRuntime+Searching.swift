import Conduit
import FileProviderWire
import Foundation
import ItemValues
import LinuxSystem

/// Searches at the provider's service.
extension ProviderRuntime {
    func addSearching(to service: inout Service) {
        on(ProviderSearchCall.self, key: { _ in nil }, in: &service) {
            request, provider, engineRequest throws(ProviderError) in
            guard let object = provider.object as? any NSFileProviderSearching else {
                throw ProviderError(.unsupported, message: "the provider does not search")
            }
            let search = ProviderSearch(
                object.searchEnumerator(
                    for: NSFileProviderStringSearchRequest(
                        query: request.query, desiredNumberOfResults: request.limit)))
            // When the request is over, invalidates the enumerator even if provider code still blocks.
            engineRequest.onEnd { search.end() }
            defer { search.end() }
            return try search.results(request.limit, engineRequest)
        }
    }
}

/// A search in progress.
///
/// Sendable: pages are requested one after the other, and the protocol allows a concurrent call of `invalidate()`.
private final class ProviderSearch: @unchecked Sendable {
    private let enumerator: any NSFileProviderSearchEnumerator
    // Leaf lock: provider code is called after it is released.
    private let hasEnded = Lock(false)

    /// The time limit for all pages together. In addition, each page has the time limit of a request.
    private static let longest: Duration = .seconds(300)
    /// The number of consecutive pages without a new result after which the search fails.
    private static let pagesWithoutNews = 1000

    init(_ enumerator: any NSFileProviderSearchEnumerator) { self.enumerator = enumerator }

    /// Ends the search. Only the first call invalidates the enumerator.
    func end() {
        let isFirst = hasEnded.withLock { hasEnded in
            defer { hasEnded = true }
            return !hasEnded
        }
        if isFirst { enumerator.invalidate() }
    }

    /// Collects results, page by page, without duplicates.
    ///
    /// - Parameter limit: the maximum number of results to return.
    func results(_ limit: Int, _ engineRequest: EngineRequest) throws(ProviderError) -> ProviderSearchResults {
        let deadline = ContinuousClock.now + Self.longest
        var found = ProviderSearchResults(results: [])
        var identifiers: Set<ExactText> = []
        var pages: Set<Data> = []
        var next: Data?
        var pagesWithoutNews = 0
        repeat {
            let page = try self.page(next, engineRequest)
            let before = found.results.count
            for result in page.results where identifiers.insert(result.identifier) {
                found.results.append(result)
                if found.results.count == limit { return found }
            }
            next = page.next
            guard let next else { return found }
            guard next.count <= ProviderWire.longestToken else {
                throw ProviderError(.badAnswer, message: "the provider named a page of \(next.count) bytes")
            }
            guard pages.insert(next).inserted else {
                throw ProviderError(.badAnswer, message: "the provider named the same page of results twice")
            }
            pagesWithoutNews = found.results.count > before ? 0 : pagesWithoutNews + 1
            guard pagesWithoutNews < Self.pagesWithoutNews else {
                throw ProviderError(
                    .badAnswer, message: "the provider announced more results and sent none")
            }
            engineRequest.advance(completed: Int64(found.results.count), total: Int64(limit))
        } while ContinuousClock.now < deadline
        found.isCutShort = true
        return found
    }

    private func page(_ page: Data?, _ engineRequest: EngineRequest) throws(ProviderError) -> SearchPage {
        let result: Result<SearchPage, ProviderError> = try engineRequest.wait { finish in
            enumerator.enumerateSearchResults(
                for: SearchObserver(finish: finish), startingAt: page.map { NSFileProviderPage($0) })
        }
        return try result.get()
    }
}
