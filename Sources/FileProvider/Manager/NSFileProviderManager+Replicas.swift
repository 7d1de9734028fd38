import Foundation

// Unlike with Apple, a subclass cannot override these: Swift has no overriding of what an extension declares.
extension NSFileProviderManager {
    /// Makes a domain of a folder's files. Of domains whose files the provider keeps, nothing can be made so: it fails.
    public class func `import`(
        _ domain: NSFileProviderDomain, fromDirectoryAt url: URL,
        completionHandler: @escaping @Sendable ((any Error)?) -> Void
    ) { calling(completionHandler)(CocoaError(.featureUnsupported)) }
    /// Makes a domain of a folder's files. Of domains whose files the provider keeps, nothing can be made so: it fails.
    public class func `import`(_ domain: NSFileProviderDomain, fromDirectoryAt url: URL) async throws {
        try await answer { `import`(domain, fromDirectoryAt: url, completionHandler: $0) }
    }

    /// Has the system hand over all items below one again. It fails where the provider keeps the files.
    public func reimportItems(
        below itemIdentifier: NSFileProviderItemIdentifier,
        completionHandler: @escaping @Sendable ((any Error)?) -> Void
    ) { Self.calling(completionHandler)(CocoaError(.featureUnsupported)) }
    /// Has the system hand over all items below one again. It fails where the provider keeps the files.
    public func reimportItems(below itemIdentifier: NSFileProviderItemIdentifier) async throws {
        try await Self.answer { reimportItems(below: itemIdentifier, completionHandler: $0) }
    }

    /// Has the system hand over an item as if it had been changed. It fails where the provider keeps the files.
    public func requestModification(
        of fields: NSFileProviderItemFields, forItemWithIdentifier itemIdentifier: NSFileProviderItemIdentifier,
        options: NSFileProviderModifyItemOptions = [], completionHandler: @escaping @Sendable ((any Error)?) -> Void
    ) { Self.calling(completionHandler)(CocoaError(.featureUnsupported)) }
    /// Has the system hand over an item as if it had been changed. It fails where the provider keeps the files.
    public func requestModification(
        of fields: NSFileProviderItemFields, forItemWithIdentifier itemIdentifier: NSFileProviderItemIdentifier,
        options: NSFileProviderModifyItemOptions = []
    ) async throws {
        try await Self.answer {
            requestModification(
                of: fields, forItemWithIdentifier: itemIdentifier, options: options, completionHandler: $0)
        }
    }

    /// Lists what is on this machine of a domain whose files the system keeps. Of others, the listing fails.
    public func enumeratorForMaterializedItems() -> any NSFileProviderEnumerator { RefusingEnumerator() }

    /// Lists what waits to be sent of a domain whose files the system keeps. Of others, the listing fails.
    public func enumeratorForPendingItems() -> any NSFileProviderPendingSetEnumerator { RefusingEnumerator() }
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

/// A listing that fails.
private final class RefusingEnumerator: NSObject, NSFileProviderPendingSetEnumerator {
    var domainVersion: NSFileProviderDomainVersion? { nil }
    var refreshInterval: TimeInterval { 1 }
    var isMaximumSizeReached: Bool { false }

    func invalidate() {}
    func enumerateItems(for observer: any NSFileProviderEnumerationObserver, startingAt page: NSFileProviderPage) {
        observer.finishEnumeratingWithError(CocoaError(.featureUnsupported))
    }
    func enumerateChanges(for observer: any NSFileProviderChangeObserver, from syncAnchor: NSFileProviderSyncAnchor) {
        observer.finishEnumeratingWithError(CocoaError(.featureUnsupported))
    }
    func currentSyncAnchor(completionHandler: @escaping @Sendable (NSFileProviderSyncAnchor?) -> Void) {
        completionHandler(nil)
    }
}

extension NSNotification.Name {
    /// Posted when other items are on this machine.
    public static let fileProviderMaterializedSetDidChange = NSNotification.Name(
        "NSFileProviderMaterializedSetDidChange")
    /// Posted when other items wait to be sent.
    public static let fileProviderPendingSetDidChange = NSNotification.Name("NSFileProviderPendingSetDidChange")
}
