import Foundation
import ItemValues

// Unlike on Apple's platforms, a subclass cannot override these functions, because Swift does not allow overriding a
// declaration of an extension.
extension NSFileProviderManager {
    /// Adds a domain, and moves the files of a directory into it.
    ///
    /// The system passes each file to `createItem` with the option `mayAlreadyExist`, and calls `importDidFinish` at
    /// the end. After a crash, the import continues. Files that cannot be imported, such as sockets, stay in the
    /// directory.
    ///
    /// - Parameter completionHandler: called when the import has begun, or with an error:
    ///   `CocoaError.fileWriteFileExists` if a domain with this identifier exists, `CocoaError.featureUnsupported` in
    ///   an extension.
    public class func `import`(
        _ domain: NSFileProviderDomain, fromDirectoryAt url: URL,
        completionHandler: @escaping @Sendable ((any Error)?) -> Void
    ) { backend.importDomain(domain, from: url, calling(completionHandler)) }
    /// Adds a domain, and moves the files of a directory into it. Returns when the import has begun.
    public class func `import`(_ domain: NSFileProviderDomain, fromDirectoryAt url: URL) async throws {
        try await answer { `import`(domain, fromDirectoryAt: url, completionHandler: $0) }
    }

    /// Imports an item and everything in it again, after the provider has lost its records of these items.
    ///
    /// The system lists again each directory that it has listed before, and matches the provider's items with its own
    /// by name. The system calls `createItem`, with the option `mayAlreadyExist`, for each local item that is missing
    /// at the provider: directories, links, and files whose contents are local. At the end, it calls `importDidFinish`.
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

    /// Sends an item to the provider as if it had been changed locally. Returns before the provider receives the item.
    ///
    /// Contents are sent if they are local and not older than the provider's; an ``NSFileProviderExtension`` receives
    /// them through `itemChanged(at:)`. The date of last use, the tags and the favorite rank are also sent. Other
    /// fields, such as name and parent, are not sent, because the system always gets them from the provider. If all
    /// requested fields are of this kind, the error is `featureUnsupported`.
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
    /// Sends an item to the provider as if it had been changed locally. Returns before the provider receives the item.
    public func requestModification(
        of fields: NSFileProviderItemFields, forItemWithIdentifier itemIdentifier: NSFileProviderItemIdentifier,
        options: NSFileProviderModifyItemOptions = []
    ) async throws {
        try await Self.answer {
            requestModification(
                of: fields, forItemWithIdentifier: itemIdentifier, options: options, completionHandler: $0)
        }
    }

    /// Returns an enumerator of the materialized items: files whose contents are local, and listed directories. The
    /// enumerator sends no request to the provider. It can enumerate changes since its own sync anchors. Anchors of
    /// other enumerators count as expired.
    public func enumeratorForMaterializedItems() -> any NSFileProviderEnumerator {
        SetEnumerator(.materialized, of: domain?.identifier, Self.backend)
    }

    /// Returns an enumerator of the items with local changes that the provider does not have yet. The enumerator can
    /// enumerate changes since its own sync anchors. Anchors of other enumerators count as expired.
    public func enumeratorForPendingItems() -> any NSFileProviderPendingSetEnumerator {
        SetEnumerator(.pending, of: domain?.identifier, Self.backend)
    }
}

/// An enumerator of the items that wait for their upload.
///
/// Source: FileProvider, `NSFileProviderManager.h`.
public protocol NSFileProviderPendingSetEnumerator: NSFileProviderEnumerator {
    /// The version of the domain's state at the time of the last enumeration.
    var domainVersion: NSFileProviderDomainVersion? { get }
    /// The seconds between two updates of the set.
    var refreshInterval: TimeInterval { get }
    /// Whether the set has more items than the enumerator returns.
    var isMaximumSizeReached: Bool { get }
}

extension NSNotification.Name {
    /// A notification that the set of materialized items has changed. It has no object, and is posted on any thread of
    /// a process that has called ``NSFileProviderManager/enumeratorForMaterializedItems()`` at least once. Changes in
    /// close succession cause one notification.
    public static let fileProviderMaterializedSetDidChange = NSNotification.Name(
        "NSFileProviderMaterializedSetDidChange")
    /// A notification that the set of items waiting for their upload has changed. It has no object, and is posted on
    /// any thread of a process that has called ``NSFileProviderManager/enumeratorForPendingItems()`` at least once.
    /// Changes in close succession cause one notification.
    public static let fileProviderPendingSetDidChange = NSNotification.Name("NSFileProviderPendingSetDidChange")
}
