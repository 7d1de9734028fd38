import Foundation

/// What a class of observers of a listing may leave out; a program conforms to ``NSFileProviderEnumerationObserver``.
public protocol NSFileProviderEnumerationObserverRequirements: NSObjectProtocol {
    /// How many items a page is to have, roughly; no more than a hundred times as many are taken.
    var suggestedPageSize: Int { get }
}

/// Whoever asked for a listing. Its functions are called on any thread; after the end of the page they are ignored.
///
/// Source: FileProvider, `NSFileProviderEnumerating.h`.
public protocol NSFileProviderEnumerationObserver: NSFileProviderEnumerationObserverRequirements {
    /// Some items of the page.
    func didEnumerate(_ updatedItems: [any NSFileProviderItem])
    /// The page is complete.
    ///
    /// - Parameter nextPage: `nil` after the last one; at most 500 bytes.
    func finishEnumerating(upTo nextPage: NSFileProviderPage?)
    /// The page could not be listed.
    func finishEnumeratingWithError(_ error: any Error)
    /// How many items a page is to have, roughly; `nil` for an observer that does not say.
    var suggestedPageSize: Int? { get }
}

extension NSFileProviderEnumerationObserverRequirements {
    /// Left out.
    public var suggestedPageSize: Int { OptionalMember.missing(0) }
}

extension NSFileProviderEnumerationObserver {
    /// How many items a page is to have, roughly; `nil` for an observer that does not say.
    public var suggestedPageSize: Int? {
        let own: any NSFileProviderEnumerationObserverRequirements = self
        return OptionalMember.read(own.suggestedPageSize)
    }
}

/// What a class of observers of changes may leave out; a program conforms to ``NSFileProviderChangeObserver``.
public protocol NSFileProviderChangeObserverRequirements: NSObjectProtocol {
    /// How many changes are to be told at a time, roughly.
    var suggestedBatchSize: Int { get }
}

/// Whoever asked for changes. Its functions are called on any thread; after the end they are ignored.
///
/// Source: FileProvider, `NSFileProviderEnumerating.h`.
public protocol NSFileProviderChangeObserver: NSFileProviderChangeObserverRequirements {
    /// Items that are new or have changed.
    func didUpdate(_ updatedItems: [any NSFileProviderItem])
    /// Items that are gone.
    func didDeleteItems(withIdentifiers deletedItemIdentifiers: [NSFileProviderItemIdentifier])
    /// These were the changes up to a moment.
    ///
    /// - Parameters:
    ///   - anchor: where the next changes begin; at most 500 bytes.
    ///   - moreComing: whether there are more already.
    func finishEnumeratingChanges(upTo anchor: NSFileProviderSyncAnchor, moreComing: Bool)
    /// The changes could not be told.
    func finishEnumeratingWithError(_ error: any Error)
    /// How many changes are to be told at a time, roughly; `nil` for an observer that does not say.
    var suggestedBatchSize: Int? { get }
}

extension NSFileProviderChangeObserverRequirements {
    /// Left out.
    public var suggestedBatchSize: Int { OptionalMember.missing(0) }
}

extension NSFileProviderChangeObserver {
    /// How many changes are to be told at a time, roughly; `nil` for an observer that does not say.
    public var suggestedBatchSize: Int? {
        let own: any NSFileProviderChangeObserverRequirements = self
        return OptionalMember.read(own.suggestedBatchSize)
    }
}
