import Foundation

// Unlike with Apple, a subclass cannot override these: Swift has no overriding of what an extension declares.
extension NSFileProviderManager {
    /// Makes a domain of a folder's files. Nothing is imported yet: it fails.
    public class func `import`(
        _ domain: NSFileProviderDomain, fromDirectoryAt url: URL,
        completionHandler: @escaping @Sendable ((any Error)?) -> Void
    ) { calling(completionHandler)(CocoaError(.featureUnsupported)) }
    /// Makes a domain of a folder's files. Nothing is imported yet: it fails.
    public class func `import`(_ domain: NSFileProviderDomain, fromDirectoryAt url: URL) async throws {
        try await answer { `import`(domain, fromDirectoryAt: url, completionHandler: $0) }
    }

    /// Has the system hand over all items below one again. It fails: a provider that has lost what it knew lets its anchors expire.
    public func reimportItems(
        below itemIdentifier: NSFileProviderItemIdentifier,
        completionHandler: @escaping @Sendable ((any Error)?) -> Void
    ) { Self.calling(completionHandler)(CocoaError(.featureUnsupported)) }
    /// Has the system hand over all items below one again. It fails: a provider that has lost what it knew lets its anchors expire.
    public func reimportItems(below itemIdentifier: NSFileProviderItemIdentifier) async throws {
        try await Self.answer { reimportItems(below: itemIdentifier, completionHandler: $0) }
    }

    /// Has the system hand over an item to the provider as if it had been changed here, and comes back before that.
    ///
    /// Of ``NSFileProviderItemFields``, contents are handed over that are on this machine and not older than the provider's
    /// (`itemChanged(at:)`), and dates of the last use, tags and ranks among the favorites. Names, places and the rest are what
    /// the provider itself said, and nothing is handed over of them; with none but those it fails with `featureUnsupported`.
    ///
    /// - Parameter options: of no effect.
    public func requestModification(
        of fields: NSFileProviderItemFields, forItemWithIdentifier itemIdentifier: NSFileProviderItemIdentifier,
        options: NSFileProviderModifyItemOptions = [], completionHandler: @escaping @Sendable ((any Error)?) -> Void
    ) {
        let known: NSFileProviderItemFields = [.contents, .lastUsedDate, .tagData, .favoriteRank]
        guard !fields.isDisjoint(with: known) else {
            return Self.calling(completionHandler)(CocoaError(.featureUnsupported))
        }
        Self.backend.requestModification(
            of: fields, of: itemIdentifier, in: domain?.identifier, Self.calling(completionHandler))
    }
    /// Has the system hand over an item to the provider as if it had been changed here, and comes back before that.
    public func requestModification(
        of fields: NSFileProviderItemFields, forItemWithIdentifier itemIdentifier: NSFileProviderItemIdentifier,
        options: NSFileProviderModifyItemOptions = []
    ) async throws {
        try await Self.answer {
            requestModification(
                of: fields, forItemWithIdentifier: itemIdentifier, options: options, completionHandler: $0)
        }
    }

    /// Lists what is on this machine: files with their contents and folders that were listed, by what is known here. Changes are told
    /// since an anchor of this very object; anchors of others are expired.
    public func enumeratorForMaterializedItems() -> any NSFileProviderEnumerator {
        SetEnumerator(.materialized, of: domain?.identifier, Self.backend)
    }

    /// Lists what was changed here and the provider does not have yet, of what it knows. Changes are told since an anchor of this very
    /// object; anchors of others are expired.
    public func enumeratorForPendingItems() -> any NSFileProviderPendingSetEnumerator {
        SetEnumerator(.pending, of: domain?.identifier, Self.backend)
    }
}

/// Lists what waits to be sent.
///
/// Source: FileProvider, `NSFileProviderManager.h`.
public protocol NSFileProviderPendingSetEnumerator: NSFileProviderEnumerator {
    /// The version of the domain at that time.
    var domainVersion: NSFileProviderDomainVersion? { get }
    /// How many seconds pass between two looks.
    var refreshInterval: TimeInterval { get }
    /// Whether there is more than it tells.
    var isMaximumSizeReached: Bool { get }
}

extension NSNotification.Name {
    /// For other items on this machine. Not posted yet: ``NSFileProviderManager/enumeratorForMaterializedItems()`` tells of changes.
    public static let fileProviderMaterializedSetDidChange = NSNotification.Name(
        "NSFileProviderMaterializedSetDidChange")
    /// For other items that wait to be sent. Not posted yet: ``NSFileProviderManager/enumeratorForPendingItems()`` tells of changes.
    public static let fileProviderPendingSetDidChange = NSNotification.Name("NSFileProviderPendingSetDidChange")
}
