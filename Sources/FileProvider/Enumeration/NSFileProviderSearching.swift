import Foundation
import UniformTypeIdentifiers

/// A provider that can search for items at its service, including items in directories that were never listed locally.
/// A subclass of ``NSFileProviderExtension`` may conform to this protocol, too.
///
/// Source: FileProvider, `NSFileProviderSearching.h`.
public protocol NSFileProviderSearching: NSObjectProtocol {
    /// Returns an enumerator of search results. Called on any thread, once for each search.
    func searchEnumerator(
        for request: NSFileProviderStringSearchRequest
    ) -> any NSFileProviderSearchEnumerator
}

/// A search request.
///
/// Source: FileProvider, `NSFileProviderSearching.h`.
open class NSFileProviderStringSearchRequest: NSObject {
    private let words: String
    private let wanted: Int

    package init(query: String, desiredNumberOfResults: Int) {
        words = query
        wanted = desiredNumberOfResults
        super.init()
    }

    /// The text that the user entered.
    open var query: String { words }
    /// The number of results needed, in all pages together. Further results are ignored.
    open var desiredNumberOfResults: Int { wanted }
}

/// An enumerator of search results, page by page. The best results come first.
///
/// The system requests one page after the other, on any thread.
///
/// Source: FileProvider, `NSFileProviderSearching.h`.
public protocol NSFileProviderSearchEnumerator: NSObjectProtocol {
    /// Reports a page of results to an observer.
    ///
    /// - Parameter page: the token that the observer received at the end of the previous page; `nil` for the first
    ///   page.
    func enumerateSearchResults(
        for observer: any NSFileProviderSearchEnumerationObserver, startingAt page: NSFileProviderPage?)
    /// Ends the search. From now on, calls to the observer of a page in progress are ignored. Called once, possibly
    /// while ``enumerateSearchResults(for:startingAt:)`` runs.
    func invalidate()
}

/// An observer of a page of results. Its functions may be called on any thread. Calls after the end of the page are
/// ignored.
///
/// Source: FileProvider, `NSFileProviderSearching.h`.
public protocol NSFileProviderSearchEnumerationObserver: NSObjectProtocol {
    /// Receives results of the page. May be called several times for a page.
    func didEnumerate(_ searchResults: [any NSFileProviderSearchResult])
    /// Ends the page.
    ///
    /// - Parameter nextPage: the token of the next page, at most 500 bytes, which must differ from all earlier tokens;
    ///   `nil` after the last page.
    func finishEnumerating(upTo nextPage: NSFileProviderPage?)
    /// Ends the search with an error.
    func finishEnumeratingWithError(_ error: any Error)
    /// The maximum number of results of a page. If a page has more, the search fails.
    var maximumNumberOfResultsPerPage: Int { get }
}

/// An item that a search has found. It need not be in the domain's index.
///
/// Source: FileProvider, `NSFileProviderSearching.h`.
public protocol NSFileProviderSearchResult {
    /// The identifier of the item.
    var itemIdentifier: NSFileProviderItemIdentifier { get }
    /// The name of the item.
    var filename: String { get }
    /// The date of creation; `nil` if unknown.
    var creationDate: Date? { get }
    /// The date on which the contents were changed last; `nil` if unknown.
    var contentModificationDate: Date? { get }
    /// The date of last use; `nil` if unknown.
    var lastUsedDate: Date? { get }
    /// The type of the item.
    var contentType: UTType { get }
    /// The size in bytes; `nil` if unknown.
    var documentSize: NSNumber? { get }
}
