import Foundation

/// The optional members of an enumeration observer. Programs conform to ``NSFileProviderEnumerationObserver`` instead
/// of this protocol.
public protocol NSFileProviderEnumerationObserverRequirements: NSObjectProtocol {
    /// The suggested number of items per page. A page may have up to a hundred times as many items.
    var suggestedPageSize: Int { get }
}

/// An observer of an enumeration. Its functions are called on any thread. Calls after the end of the page are
/// ignored.
///
/// Source: FileProvider, `NSFileProviderEnumerating.h`.
public protocol NSFileProviderEnumerationObserver: NSFileProviderEnumerationObserverRequirements {
    /// Receives items of the page. May be called several times for a page.
    func didEnumerate(_ updatedItems: [any NSFileProviderItem])
    /// Ends the page.
    ///
    /// - Parameter nextPage: the token of the next page, at most 500 bytes; `nil` after the last page.
    func finishEnumerating(upTo nextPage: NSFileProviderPage?)
    /// Ends the page with an error.
    func finishEnumeratingWithError(_ error: any Error)
    /// The suggested number of items per page; `nil` for an observer without a suggestion.
    var suggestedPageSize: Int? { get }
}

extension NSFileProviderEnumerationObserverRequirements {
    /// The default for a class that does not declare the member. Its value is not used: a caller that has an `any
    /// NSFileProviderEnumerationObserver` reads `nil`.
    public var suggestedPageSize: Int { OptionalMember.missing(0) }
}

extension NSFileProviderEnumerationObserver {
    /// The suggested number of items per page; `nil` for an observer without a suggestion.
    public var suggestedPageSize: Int? {
        let own: any NSFileProviderEnumerationObserverRequirements = self
        return OptionalMember.read(own.suggestedPageSize)
    }
}

/// The optional members of a change observer. Programs conform to ``NSFileProviderChangeObserver`` instead of this
/// protocol.
public protocol NSFileProviderChangeObserverRequirements: NSObjectProtocol {
    /// The suggested number of changes per batch.
    var suggestedBatchSize: Int { get }
}

/// An observer of changes. Its functions are called on any thread. Calls after the end of the batch are ignored.
///
/// Source: FileProvider, `NSFileProviderEnumerating.h`.
public protocol NSFileProviderChangeObserver: NSFileProviderChangeObserverRequirements {
    /// Receives items that are new or have changed. May be called several times for a batch.
    func didUpdate(_ updatedItems: [any NSFileProviderItem])
    /// Receives the identifiers of removed items. May be called several times for a batch.
    func didDeleteItems(withIdentifiers deletedItemIdentifiers: [NSFileProviderItemIdentifier])
    /// Ends the batch of changes.
    ///
    /// - Parameters:
    ///   - anchor: the sync anchor for the next changes, at most 500 bytes.
    ///   - moreComing: whether more changes are already available.
    func finishEnumeratingChanges(upTo anchor: NSFileProviderSyncAnchor, moreComing: Bool)
    /// Ends the batch with an error.
    func finishEnumeratingWithError(_ error: any Error)
    /// The suggested number of changes per batch; `nil` for an observer without a suggestion.
    var suggestedBatchSize: Int? { get }
}

extension NSFileProviderChangeObserverRequirements {
    /// The default for a class that does not declare the member. Its value is not used: a caller that has an `any
    /// NSFileProviderChangeObserver` reads `nil`.
    public var suggestedBatchSize: Int { OptionalMember.missing(0) }
}

extension NSFileProviderChangeObserver {
    /// The suggested number of changes per batch; `nil` for an observer without a suggestion.
    public var suggestedBatchSize: Int? {
        let own: any NSFileProviderChangeObserverRequirements = self
        return OptionalMember.read(own.suggestedBatchSize)
    }
}
