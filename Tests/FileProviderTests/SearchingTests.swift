import FileProvider
import Foundation
import Testing
import UniformTypeIdentifiers

/// Searches by a provider's service, with the test as the system.
@Suite struct SearchingTests {
    private struct Found: NSFileProviderSearchResult {
        let itemIdentifier = NSFileProviderItemIdentifier("1")
        let filename = "report.txt"
        let creationDate: Date? = Date(timeIntervalSince1970: 1)
        let contentModificationDate: Date? = Date(timeIntervalSince1970: 2)
        let lastUsedDate: Date? = nil
        let contentType = UTType.plainText
        let documentSize: NSNumber? = 5
    }

    private final class Search: NSObject, NSFileProviderSearchEnumerator {
        let request: NSFileProviderStringSearchRequest
        var isOver = false

        init(_ request: NSFileProviderStringSearchRequest) { self.request = request }

        func invalidate() { isOver = true }

        func enumerateSearchResults(
            for observer: any NSFileProviderSearchEnumerationObserver, startingAt page: NSFileProviderPage?
        ) {
            if request.query == "secret" {
                return observer.finishEnumeratingWithError(NSFileProviderError(.notAuthenticated))
            }
            observer.didEnumerate([Found()])
            let isLast = page != nil || request.desiredNumberOfResults < observer.maximumNumberOfResultsPerPage
            observer.finishEnumerating(upTo: isLast ? nil : NSFileProviderPage(Data("2".utf8)))
        }
    }

    private final class Provider: NSFileProviderExtension, NSFileProviderSearching {
        func searchEnumerator(
            for request: NSFileProviderStringSearchRequest
        ) -> any NSFileProviderSearchEnumerator { Search(request) }
    }

    private final class Observer: NSObject, NSFileProviderSearchEnumerationObserver {
        let maximumNumberOfResultsPerPage = 1
        var results: [any NSFileProviderSearchResult] = []
        var pages: [NSFileProviderPage?] = []
        var error: (any Error)?

        func didEnumerate(_ searchResults: [any NSFileProviderSearchResult]) { results += searchResults }
        func finishEnumerating(upTo nextPage: NSFileProviderPage?) { pages.append(nextPage) }
        func finishEnumeratingWithError(_ error: any Error) { self.error = error }
    }

    @Test func aProviderTellsWhatItsServiceFindsPageByPage() throws {
        let provider: any NSFileProviderSearching = Provider()
        let request = NSFileProviderStringSearchRequest(query: "report", desiredNumberOfResults: 2)
        #expect(request.query == "report" && request.desiredNumberOfResults == 2)
        let search = provider.searchEnumerator(for: request)
        let observer = Observer()
        search.enumerateSearchResults(for: observer, startingAt: nil)
        let next = try #require(observer.pages.first ?? nil)
        search.enumerateSearchResults(for: observer, startingAt: next)
        search.invalidate()
        #expect(observer.pages == [next, nil] && (search as? Search)?.isOver == true)
        let result = try #require(observer.results.first)
        #expect(result.itemIdentifier.rawValue == "1" && result.filename == "report.txt" && result.documentSize == 5)
        #expect(result.creationDate?.timeIntervalSince1970 == 1 && result.lastUsedDate == nil)
        #expect(result.contentModificationDate?.timeIntervalSince1970 == 2 && result.contentType == .plainText)
        let secret = provider.searchEnumerator(
            for: NSFileProviderStringSearchRequest(query: "secret", desiredNumberOfResults: 2))
        secret.enumerateSearchResults(for: observer, startingAt: nil)
        #expect((observer.error as? NSFileProviderError)?.code == .notAuthenticated)
    }

    @Test func aDomainIsSearchedOnlyWhenItSaysSo() {
        let domain = NSFileProviderDomain(
            identifier: NSFileProviderDomainIdentifier(rawValue: "a"), displayName: "A",
            pathRelativeToDocumentStorage: "a")
        #expect(!domain.supportsStringSearchRequest)
        domain.supportsStringSearchRequest = true
        #expect(domain.supportsStringSearchRequest)
    }
}
