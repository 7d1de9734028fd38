import Foundation
import UniformTypeIdentifiers

/// A provider whose service looks for items itself: in folders too that nobody has looked into on this machine. A subclass of
/// ``NSFileProviderExtension`` may conform to it, too.
///
/// Source: FileProvider, `NSFileProviderSearching.h`.
public protocol NSFileProviderSearching: NSObjectProtocol {
    /// What a search goes through. Called on any thread, once for each search.
    func searchEnumerator(
        for request: NSFileProviderStringSearchRequest
    ) -> any NSFileProviderSearchEnumerator
}

/// What is looked for.
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

    /// What a person has written.
    open var query: String { words }
    /// How many results are of use, in all pages together. More may be told, and are left out.
    open var desiredNumberOfResults: Int { wanted }
}

/// Goes through what a search finds, page by page, the best first.
///
/// Its first function is called for one page after the other, on any thread.
///
/// Source: FileProvider, `NSFileProviderSearching.h`.
public protocol NSFileProviderSearchEnumerator: NSObjectProtocol {
    /// Tells a page of results.
    ///
    /// - Parameter page: `nil` for the first one, else what the observer was told with the page before.
    func enumerateSearchResults(
        for observer: any NSFileProviderSearchEnumerationObserver, startingAt page: NSFileProviderPage?)
    /// The search is over, or was given up: the observer of a page that is under way is not listened to any more. Called once, and
    /// possibly while the other function runs.
    func invalidate()
}

/// Whoever asked for a page of results. Its functions may be called on any thread; after the end of the page they are ignored.
///
/// Source: FileProvider, `NSFileProviderSearching.h`.
public protocol NSFileProviderSearchEnumerationObserver: NSObjectProtocol {
    /// Some results of the page.
    func didEnumerate(_ searchResults: [any NSFileProviderSearchResult])
    /// The page is complete.
    ///
    /// - Parameter nextPage: `nil` after the last one; at most 500 bytes, and none that was there before.
    func finishEnumerating(upTo nextPage: NSFileProviderPage?)
    /// The search failed.
    func finishEnumeratingWithError(_ error: any Error)
    /// How many results a page may have; with more, the search fails.
    var maximumNumberOfResultsPerPage: Int { get }
}

/// An item that a search has found. Nothing else needs to be known of it on this machine.
///
/// Source: FileProvider, `NSFileProviderSearching.h`.
public protocol NSFileProviderSearchResult {
    /// Of the item.
    var itemIdentifier: NSFileProviderItemIdentifier { get }
    /// Its name.
    var filename: String { get }
    /// When it was made; `nil` where that is not known.
    var creationDate: Date? { get }
    /// When its contents were changed; `nil` where that is not known.
    var contentModificationDate: Date? { get }
    /// When it was used; `nil` where that is not known.
    var lastUsedDate: Date? { get }
    /// Of the item.
    var contentType: UTType { get }
    /// Bytes; `nil` where that is not known.
    var documentSize: NSNumber? { get }
}
