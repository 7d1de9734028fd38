import FileProviderWire
import Foundation
import Glibc
import LinuxSystem

/// A provider that can fetch a file's contents with the help of an older version that is local, so that it transfers
/// only the difference.
///
/// Source: FileProvider, `NSFileProviderReplicatedExtension.h`.
public protocol NSFileProviderIncrementalContentFetching: NSObjectProtocol {
    /// Fetches the contents of a file. An older version of the contents is local, at `existingContents`.
    func fetchContents(
        for itemIdentifier: NSFileProviderItemIdentifier, version requestedVersion: NSFileProviderItemVersion?,
        usingExistingContentsAt existingContents: URL, existingVersion: NSFileProviderItemVersion,
        request: NSFileProviderRequest,
        completionHandler: @escaping (URL?, (any NSFileProviderItem)?, (any Error)?) -> Void
    ) -> Progress
}

/// A provider that can fetch byte ranges of files. A subclass of ``NSFileProviderExtension`` may conform to this
/// protocol, too. A program that reads a large file from such a provider waits only for the bytes that it reads.
///
/// Source: FileProvider, `NSFileProviderReplicatedExtension.h`.
public protocol NSFileProviderPartialContentFetching: NSObjectProtocol {
    /// Fetches a byte range of a file. Called on any thread, possibly several times at once, even for the same file.
    ///
    /// - Parameters:
    ///   - requestedVersion: the version that the bytes must belong to.
    ///   - requestedRange: the bytes that are needed. The provider may fetch more bytes.
    ///   - alignment: the alignment of the fetched range's bounds, a power of two. The end of the file need not be
    ///     aligned.
    ///   - options: with `strictVersioning`, the function fails with `NSFileProviderError.versionNoLongerAvailable` if
    ///     it cannot return this version.
    ///   - completionHandler: called once, either with an error or with a file, its item, and the fetched range. The
    ///     file contains the bytes at the same offsets as the whole file does. After the reply, the system removes the
    ///     file if it is in a directory for temporary files.
    /// - Returns: a progress. When it is cancelled, the provider stops the work. The system cancels a progress that
    ///   does not advance for too long.
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
    /// Returns the services for an item.
    func supportedServiceSources(
        for itemIdentifier: NSFileProviderItemIdentifier,
        completionHandler: @escaping ([any NSFileProviderServiceSource]?, (any Error)?) -> Void
    ) -> Progress
}

/// A provider with thumbnails of its items.
///
/// Source: FileProvider, `NSFileProviderReplicatedExtension.h`.
public protocol NSFileProviderThumbnailing: NSObjectProtocol {
    /// Fetches thumbnails.
    ///
    /// - Parameters:
    ///   - size: the size in pixels.
    ///   - perThumbnailCompletionHandler: called for each item.
    ///   - completionHandler: called after the last item.
    func fetchThumbnails(
        for itemIdentifiers: [NSFileProviderItemIdentifier], requestedSize size: CGSize,
        perThumbnailCompletionHandler: @escaping (NSFileProviderItemIdentifier, Data?, (any Error)?) -> Void,
        completionHandler: @escaping ((any Error)?) -> Void
    ) -> Progress
}

/// A provider with custom actions, which its property list names (`NSExtensionFileProviderActions`). A subclass of
/// ``NSFileProviderExtension`` may conform to this protocol, too.
///
/// Source: FileProvider, `NSFileProviderReplicatedExtension.h`.
public protocol NSFileProviderCustomAction: NSObjectProtocol {
    /// Performs an action on items. Called on any thread.
    ///
    /// - Parameters:
    ///   - actionIdentifier: the identifier in the property list.
    ///   - completionHandler: called once.
    /// - Returns: a progress. When it is cancelled, the provider stops the work.
    func performAction(
        identifier actionIdentifier: NSFileProviderExtensionActionIdentifier,
        onItemsWithIdentifiers itemIdentifiers: [NSFileProviderItemIdentifier],
        completionHandler: @escaping ((any Error)?) -> Void
    ) -> Progress
}

/// A provider with interactions that the user can suppress. A subclass of ``NSFileProviderExtension`` may conform to
/// this protocol, too.
///
/// The property list declares the interactions in `NSFileProviderUserInteractions`. Each declaration has a
/// `SuppressionIdentifier`, which several interactions may share. The provider stores which identifiers are suppressed,
/// and decides whether a suppression applies to one domain or to all domains of the provider.
///
/// Source: FileProvider, `NSFileProviderReplicatedExtension.h`.
public protocol NSFileProviderUserInteractionSuppressing: NSObjectProtocol {
    /// Suppresses the interactions with the given identifier, or permits them again, at the user's request. Called on
    /// any thread.
    func setInteractionSuppressed(_ suppression: Bool, forIdentifier suppressionIdentifier: String)
    /// Returns whether the user has suppressed the interactions with the given identifier. Called on any thread, before
    /// an interaction is shown.
    func isInteractionSuppressed(forIdentifier suppressionIdentifier: String) -> Bool
}

/// A provider that reports a state of its domain as a whole. A subclass of ``NSFileProviderExtension`` may conform to
/// this protocol, too.
///
/// The system reads the state on any thread, after the provider has reported changes of the working set.
///
/// Source: FileProvider, `NSFileProviderReplicatedExtension.h`.
public protocol NSFileProviderDomainState: NSObjectProtocol {
    /// The version of the state. It increases when ``userInfo`` changes.
    var domainVersion: NSFileProviderDomainVersion { get }
    /// Values for the activation rules of the provider's actions: strings, numbers and dates, at most 16 KiB.
    var userInfo: [AnyHashable: Any] { get }
}

/// Keys of ``NSFileProviderDomainState/userInfo`` that the system itself reads.
///
/// Source: an addition. With them, `df` and file managers show the user's quota at the service.
extension NSFileProviderDomain {
    /// The key for the number of bytes that the user can still store. The entry is missing if the service sets no
    /// limit.
    public static let quotaAvailableKey = ProviderDomainState.quotaAvailableKey
    /// The key for the number of bytes that the user has stored.
    public static let quotaUsedKey = ProviderDomainState.quotaUsedKey
}

/// A provider that opens files with new contents only with ``FileProviderContents/open(_:)``, and only reads them. Such
/// a provider receives the system's own file. Any other provider receives a copy of the file, which takes time to
/// write.
///
/// Source: an addition. Apple's providers may also change, move or clone such a file.
public protocol FileProviderReadingContents: NSObjectProtocol {}

/// Access to the files that the system and a provider exchange: new contents, which `createItem` and `modifyItem`
/// receive as URLs, and fetched contents.
public enum FileProviderContents {
    // Leaf lock.
    private static let handed = Lock<[String: FileDescriptor]>([:])

    /// Opens a file with new contents for reading. The file can be read as long as it is open, even after the
    /// provider's reply.
    ///
    /// - Parameter url: the URL that the system has passed. A URL of any other file is permitted, too.
    /// - Returns: a handle at the beginning of the file. Handles of the same file share their position.
    public static func open(_ url: URL) throws -> FileHandle {
        guard let file = handed.withLock({ $0[url.path] }) else { return try FileHandle(forReadingFrom: url) }
        return try withExtendedLifetime(file) {
            let copy = try retrying { fcntl(file.rawValue, F_DUPFD_CLOEXEC, 0) }
            lseek(copy, 0, SEEK_SET)
            return FileHandle(fileDescriptor: copy, closeOnDealloc: true)
        }
    }

    /// Returns a URL for fetched contents. The provider passes the URL to the completion handler of the fetch. The
    /// contents may be a file in memory. For small files this saves time, because creating, opening and removing a file
    /// on disk takes longer than the transfer itself.
    ///
    /// - Parameter contents: a regular file that is complete. The system reads it from the beginning. The caller may
    ///   close the handle.
    /// - Returns: a URL at which no file exists. It is valid for one reply.
    public static func handOver(_ contents: FileHandle) throws -> URL {
        let copy = FileDescriptor(
            owning: try withExtendedLifetime(contents) {
                try retrying { fcntl(contents.fileDescriptor, F_DUPFD_CLOEXEC, 0) }
            })
        let number = handedOver.withLock { state in
            state.last += 1
            state.files["\(memory)\(state.last)"] = copy
            // If a fetch was cancelled, its reply is not read and its file stays in the table. Therefore the table
            // drops its oldest file. Fetches in flight are not affected, because there are far fewer of them than the
            // table has files.
            state.files["\(memory)\(state.last - mostInMemory)"] = nil
            return state.last
        }
        return URL(filePath: "\(memory)\(number)")
    }

    /// Returns the file for which ``handOver(_:)`` returned the given path, and drops it from the table of such files.
    /// Returns `nil` if the table does not contain the path.
    static func taken(_ path: String) -> FileDescriptor? {
        guard path.hasPrefix(memory) else { return nil }
        return handedOver.withLock { $0.files.removeValue(forKey: path) }
    }

    private struct HandedOver {
        var last = 0
        var files: [String: FileDescriptor] = [:]
    }
    // Leaf lock.
    private static let handedOver = Lock(HandedOver())
    private static let mostInMemory = 1024
    /// The prefix of the paths that ``handOver(_:)`` returns. No file exists at these paths.
    private static let memory = "/dev/null/"

    /// Makes a file available to ``open(_:)`` under a path at which no file exists.
    static func hand(_ file: FileDescriptor, at path: String) { handed.withLock { $0[path] = file } }

    /// Withdraws the file that ``hand(_:at:)`` made available at `path`. Later calls of ``open(_:)`` do not find the
    /// file. Open handles stay valid, and the file is not deleted.
    static func takeBack(_ path: String) { _ = handed.withLock { $0.removeValue(forKey: path) } }
}
