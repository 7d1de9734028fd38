import FileProviderWire
import Foundation
import ItemValues
import LinuxSystem
import UniformTypeIdentifiers

/// One page of search results, and the token of the following page.
struct SearchPage: Sendable {
    var results: [ProviderSearchResult]
    var next: Data?
}

/// An observer that collects one page of search results.
///
/// Results are read when they are reported, because the provider's code may change them afterwards.
final class SearchObserver: NSObject, NSFileProviderSearchEnumerationObserver, Sendable {
    private struct State {
        var results: [ProviderSearchResult] = []
        /// The number of reported results, including invalid ones, which are left out.
        var count = 0
        /// The completion handler; `nil` after it was called.
        var finish: (@Sendable (Result<SearchPage, ProviderError>) -> Void)?
    }
    // Leaf lock: results are read before it is taken, and the page is reported after it is released.
    private let state: Lock<State>

    /// Creates an observer.
    ///
    /// - Parameter finish: called once, on the thread on which the enumerator finishes.
    init(finish: @escaping @Sendable (Result<SearchPage, ProviderError>) -> Void) {
        state = Lock(State(finish: finish))
        super.init()
    }

    var maximumNumberOfResultsPerPage: Int { ProviderSearchCall.mostOfPage }

    func didEnumerate(_ searchResults: [any NSFileProviderSearchResult]) {
        guard state.withLock({ $0.finish != nil }) else { return }
        let most = ProviderSearchCall.mostOfPage
        let told = searchResults.prefix(most + 1)
        let results = told.compactMap { ProviderSearchResult(usable: $0) }
        let count = state.withLock { state in
            state.results += results
            state.count += told.count
            return state.count
        }
        guard count > most else { return }
        end(
            .failure(
                ProviderError(
                    .badAnswer, message: "the provider reported more than \(most) results for one page")
            ))
    }

    func finishEnumerating(upTo nextPage: NSFileProviderPage?) {
        let results = state.withLock { $0.results }
        end(.success(SearchPage(results: results, next: nextPage?.rawValue)))
    }

    func finishEnumeratingWithError(_ error: any Error) { end(.failure(ProviderError(error))) }

    private func end(_ result: Result<SearchPage, ProviderError>) {
        let finish = state.withLock { state in
            state.results = []
            return state.finish.take()
        }
        finish?(result)
    }
}

extension ProviderSearchResult {
    /// Reads each member of a provider's result once. Returns `nil` if the identifier is empty or too long. Leaves out
    /// other invalid values.
    init?(usable result: any NSFileProviderSearchResult) {
        let identifier = result.itemIdentifier.rawValue
        guard !identifier.isEmpty, identifier.utf8.count <= ProviderItem.longestText else { return nil }
        let type = result.contentType.identifier
        self.init(
            identifier: identifier, filename: ProviderItem.beginning(of: result.filename),
            contentType: type.utf8.count <= ProviderItem.longestText ? type : "")
        size = ProviderItem.count(result.documentSize)
        created = ProviderItem.seconds(result.creationDate)
        modified = ProviderItem.seconds(result.contentModificationDate)
        lastUsed = ProviderItem.seconds(result.lastUsedDate)
    }
}
