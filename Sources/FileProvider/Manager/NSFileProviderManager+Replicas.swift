import Foundation
import ItemValues

// Unlike with Apple, a subclass cannot override these: Swift does not allow overriding a declaration of an extension.
extension NSFileProviderManager {
    /// Adds a domain with the files of a directory, which become items of the domain and leave the directory.
    ///
    /// Each of the files is passed to `createItem` with the option `mayAlreadyExist`. In the end, `importDidFinish` is
    /// called. An import that a crash has interrupted is continued. Files that cannot be imported, such as sockets,
    /// stay in the directory.
    ///
    /// - Parameter completionHandler: called when the import has begun, or with an error:
    ///   `CocoaError.fileWriteFileExists` if a domain with this identifier exists, `CocoaError.featureUnsupported` in
    ///   an extension.
    public class func `import`(
        _ domain: NSFileProviderDomain, fromDirectoryAt url: URL,
        completionHandler: @escaping @Sendable ((any Error)?) -> Void
    ) { backend.importDomain(domain, from: url, calling(completionHandler)) }
    /// Adds a domain with the files of a directory, which become items of the domain and leave the directory. Returns
    /// when the import has begun.
    public class func `import`(_ domain: NSFileProviderDomain, fromDirectoryAt url: URL) async throws {
        try await answer { `import`(domain, fromDirectoryAt: url, completionHandler: $0) }
    }

    /// Imports an item and everything in it again, after the provider has lost its records of these items.
    ///
    /// The system lists each directory again that it has listed before, and matches the provider's items with its own
    /// by name. Local items that the provider does not have are passed to `createItem` with the option
    /// `mayAlreadyExist`: directories, links, and files whose contents are local. In the end, `importDidFinish` is
    /// called.
    ///
    /// - Parameter completionHandler: called when the import has begun, or with `NSFileProviderError.noSuchItem` if the
    ///   system does not know the item.
    public func reimportItems(
        below itemIdentifier: NSFileProviderItemIdentifier,
        completionHandler: @escaping @Sendable ((any Error)?) -> Void
    ) { Self.backend.reimport(below: itemIdentifier, in: domain?.identifier, Self.calling(completionHandler)) }
    /// Imports an item and everything in it again, after the provider has lost its records of these items. Returns when
    /// the import has begun.
    public func reimportItems(below itemIdentifier: NSFileProviderItemIdentifier) async throws {
        try await Self.answer { reimportItems(below: itemIdentifier, completionHandler: $0) }
    }

    /// Hands an item to the provider as if it had been changed locally. Returns before the provider receives it.
    ///
    /// Contents are handed over if they are local and not older than the provider's (`itemChanged(at:)`). The date of
    /// last use, tags and the favorite rank are handed over, too. Other fields, such as name and parent, are not handed
    /// over, because they always come from the provider. A request that has only such fields fails with
    /// `featureUnsupported`.
    ///
    /// - Parameter options: ignored.
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
    /// Hands an item to the provider as if it had been changed locally. Returns before the provider receives it.
    public func requestModification(
        of fields: NSFileProviderItemFields, forItemWithIdentifier itemIdentifier: NSFileProviderItemIdentifier,
        options: NSFileProviderModifyItemOptions = []
    ) async throws {
        try await Self.answer {
            requestModification(
                of: fields, forItemWithIdentifier: itemIdentifier, options: options, completionHandler: $0)
        }
    }

    /// Returns an enumerator of the local items: files with their contents, and listed directories. The provider is not
    /// asked. Changes can be enumerated since a sync anchor of the same enumerator. Anchors of other enumerators are
    /// expired.
    public func enumeratorForMaterializedItems() -> any NSFileProviderEnumerator {
        SetEnumerator(.materialized, of: domain?.identifier, Self.backend)
    }

    /// Returns an enumerator of the items with local changes that the provider does not have yet. Changes can be
    /// enumerated since a sync anchor of the same enumerator. Anchors of other enumerators are expired.
    public func enumeratorForPendingItems() -> any NSFileProviderPendingSetEnumerator {
        SetEnumerator(.pending, of: domain?.identifier, Self.backend)
    }
}

/// An enumerator of the items that wait for their upload.
///
/// Source: FileProvider, `NSFileProviderManager.h`.
public protocol NSFileProviderPendingSetEnumerator: NSFileProviderEnumerator {
    /// The version of the domain at the time of the enumeration.
    var domainVersion: NSFileProviderDomainVersion? { get }
    /// The seconds between two updates of the set.
    var refreshInterval: TimeInterval { get }
    /// Whether the set has more items than the enumerator returns.
    var isMaximumSizeReached: Bool { get }
}

extension NSNotification.Name {
    /// A notification that the set of local items has changed. It has no object, and is posted on any thread of a
    /// process that has called ``NSFileProviderManager/enumeratorForMaterializedItems()`` at least once. Changes in
    /// close succession cause one notification.
    public static let fileProviderMaterializedSetDidChange = NSNotification.Name(
        "NSFileProviderMaterializedSetDidChange")
    /// A notification that the set of items waiting for their upload has changed. It has no object, and is posted on
    /// any thread of a process that has called ``NSFileProviderManager/enumeratorForPendingItems()`` at least once.
    /// Changes in close succession cause one notification.
    public static let fileProviderPendingSetDidChange = NSNotification.Name("NSFileProviderPendingSetDidChange")
}
