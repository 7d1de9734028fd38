import Foundation

/// A provider that fetches contents by what has changed since those that are there.
///
/// Source: FileProvider, `NSFileProviderReplicatedExtension.h`.
public protocol NSFileProviderIncrementalContentFetching: NSObjectProtocol {
    /// Fetches the contents of a file of which an older version is there.
    func fetchContents(
        for itemIdentifier: NSFileProviderItemIdentifier, version requestedVersion: NSFileProviderItemVersion?,
        usingExistingContentsAt existingContents: URL, existingVersion: NSFileProviderItemVersion,
        request: NSFileProviderRequest,
        completionHandler: @escaping (URL?, (any NSFileProviderItem)?, (any Error)?) -> Void
    ) -> Progress
}

/// A provider that fetches parts of files. A subclass of ``NSFileProviderExtension`` may conform to it, too: then programs that read a
/// large file wait for what they read only.
///
/// Source: FileProvider, `NSFileProviderReplicatedExtension.h`.
public protocol NSFileProviderPartialContentFetching: NSObjectProtocol {
    /// Fetches a range of a file. Called on any thread, several times at once, also for one file.
    ///
    /// - Parameters:
    ///   - requestedVersion: the one that the bytes have to be of.
    ///   - requestedRange: in bytes: at least these.
    ///   - alignment: a power of two, of which the bounds of what is given are multiples, but for the end of the file.
    ///   - options: with `strictVersioning`, another version is `NSFileProviderError.versionNoLongerAvailable`.
    ///   - completionHandler: called once with a file that has the bytes at their places, the item that they are of, and the range; or
    ///     with an error. The file is removed where it lies in a folder for temporary files, and left alone anywhere else.
    /// - Returns: stops the work when it is cancelled, and tells how far it is: it is given up when it stands still for too long.
    func fetchPartialContents(
        for itemIdentifier: NSFileProviderItemIdentifier, version requestedVersion: NSFileProviderItemVersion,
        request: NSFileProviderRequest, minimalRange requestedRange: NSRange, aligningTo alignment: Int,
        options: NSFileProviderFetchContentsOptions,
        completionHandler:
            @escaping (
                URL?, (any NSFileProviderItem)?, NSRange, NSFileProviderMaterializationFlags, (any Error)?
            ) -> Void
    ) -> Progress
}

/// A provider with services for its items.
///
/// Source: FileProvider, `NSFileProviderReplicatedExtension.h`.
public protocol NSFileProviderServicing: NSObjectProtocol {
    /// The services for an item.
    func supportedServiceSources(
        for itemIdentifier: NSFileProviderItemIdentifier,
        completionHandler: @escaping ([any NSFileProviderServiceSource]?, (any Error)?) -> Void
    ) -> Progress
}

/// A provider with small pictures of its items.
///
/// Source: FileProvider, `NSFileProviderReplicatedExtension.h`.
public protocol NSFileProviderThumbnailing: NSObjectProtocol {
    /// Fetches pictures.
    ///
    /// - Parameters:
    ///   - size: in pixels.
    ///   - perThumbnailCompletionHandler: called for each item.
    ///   - completionHandler: called after all of them.
    func fetchThumbnails(
        for itemIdentifiers: [NSFileProviderItemIdentifier], requestedSize size: CGSize,
        perThumbnailCompletionHandler: @escaping (NSFileProviderItemIdentifier, Data?, (any Error)?) -> Void,
        completionHandler: @escaping ((any Error)?) -> Void
    ) -> Progress
}

/// A provider with actions of its own, which its property list names (`NSExtensionFileProviderActions`). A subclass of
/// ``NSFileProviderExtension`` may conform to it, too.
///
/// Source: FileProvider, `NSFileProviderReplicatedExtension.h`.
public protocol NSFileProviderCustomAction: NSObjectProtocol {
    /// Does something with items. Called on any thread.
    ///
    /// - Parameters:
    ///   - actionIdentifier: as the property list has it.
    ///   - completionHandler: called once.
    /// - Returns: stops the work when it is cancelled.
    func performAction(
        identifier actionIdentifier: NSFileProviderExtensionActionIdentifier,
        onItemsWithIdentifiers itemIdentifiers: [NSFileProviderItemIdentifier],
        completionHandler: @escaping ((any Error)?) -> Void
    ) -> Progress
}

/// A provider whose questions a person can silence.
///
/// Source: FileProvider, `NSFileProviderReplicatedExtension.h`.
public protocol NSFileProviderUserInteractionSuppressing: NSObjectProtocol {
    /// The person wants to see a question no more, or again.
    func setInteractionSuppressed(_ suppression: Bool, forIdentifier suppressionIdentifier: String)
    /// Whether the person wants to see a question no more.
    func isInteractionSuppressed(forIdentifier suppressionIdentifier: String) -> Bool
}

/// A provider that says something of its whole domain. A subclass of ``NSFileProviderExtension`` may conform to it, too.
///
/// It is asked after it has told of changes of the working set, on any thread.
///
/// Source: FileProvider, `NSFileProviderReplicatedExtension.h`.
public protocol NSFileProviderDomainState: NSObjectProtocol {
    /// Another one means that ``userInfo`` has changed.
    var domainVersion: NSFileProviderDomainVersion { get }
    /// What the rules of the provider's actions are told of the domain: strings, numbers, dates; 16 KiB of them.
    var userInfo: [AnyHashable: Any] { get }
}
