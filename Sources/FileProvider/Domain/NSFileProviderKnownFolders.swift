import Foundation

/// Folders of the user that a provider may take over: the desktop, and the documents.
///
/// Nothing takes them over on Linux: to claim one is an error. See ``NSFileProviderManager/claimKnownFolders(_:localizedReason:)``.
///
/// Source: FileProvider, `NSFileProviderKnownFolders.h`.
public struct NSFileProviderKnownFolders: OptionSet, Sendable {
    /// The bits of the set.
    public let rawValue: UInt
    /// A set from its bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// The desktop.
    public static var desktop: NSFileProviderKnownFolders { NSFileProviderKnownFolders(rawValue: 1 << 0) }
    /// The documents.
    public static var documents: NSFileProviderKnownFolders { NSFileProviderKnownFolders(rawValue: 1 << 1) }
}

/// The places of known folders in a domain.
///
/// Source: FileProvider, `NSFileProviderKnownFolders.h`.
open class NSFileProviderKnownFolderLocations: NSObject {
    /// The place of one folder.
    open class Location: NSObject {
        /// The folder itself, if there is one.
        public let existingItemIdentifier: NSFileProviderItemIdentifier?
        /// The folder that it is in or will be.
        public let parentItemIdentifier: NSFileProviderItemIdentifier?
        /// The folder's name in its parent.
        public let filename: String?

        /// A folder that is made in another one.
        public init(parentItemIdentifier: NSFileProviderItemIdentifier, filename: String) {
            existingItemIdentifier = nil
            self.parentItemIdentifier = parentItemIdentifier
            self.filename = filename
            super.init()
        }

        /// A folder that is there.
        public init(existingItemIdentifier: NSFileProviderItemIdentifier) {
            self.existingItemIdentifier = existingItemIdentifier
            parentItemIdentifier = nil
            filename = nil
            super.init()
        }
    }

    /// Whether the former place becomes a symbolic link to the new one.
    open var shouldCreateBinaryCompatibilitySymlink = true
    /// The place of the desktop.
    open var desktopLocation: Location?
    /// The place of the documents.
    open var documentsLocation: Location?

    /// No places yet.
    public override init() { super.init() }
}

/// A provider that can take over known folders. Nothing asks it on Linux.
///
/// Source: FileProvider, `NSFileProviderReplicatedExtension.h`.
public protocol NSFileProviderKnownFolderSupporting: NSObjectProtocol {
    /// The places of known folders in the provider's domain.
    func getKnownFolderLocations(
        _ knownFolders: NSFileProviderKnownFolders,
        completionHandler: @escaping @Sendable (NSFileProviderKnownFolderLocations?, (any Error)?) -> Void
    )
}

extension NSFileProviderDomain {
    /// The known folders that the domain has taken over: none, here.
    public var replicatedKnownFolders: NSFileProviderKnownFolders { [] }
}

extension NSFileProviderManager {
    /// Takes known folders over. It fails with `CocoaError.featureUnsupported`: the desktop and the documents are where the user's
    /// configuration has them (`xdg-user-dirs`), and a link there to a mounted folder does the same.
    public func claimKnownFolders(
        _ knownFolders: NSFileProviderKnownFolderLocations, localizedReason: String,
        completionHandler: @escaping @Sendable ((any Error)?) -> Void
    ) { Self.calling(completionHandler)(CocoaError(.featureUnsupported)) }
    /// Takes known folders over. It fails with `CocoaError.featureUnsupported`.
    public func claimKnownFolders(
        _ knownFolders: NSFileProviderKnownFolderLocations, localizedReason: String
    ) async throws {
        try await Self.answer {
            claimKnownFolders(knownFolders, localizedReason: localizedReason, completionHandler: $0)
        }
    }

    /// Gives known folders back. There are none to give back: it fails with `CocoaError.featureUnsupported`.
    public func releaseKnownFolders(
        _ knownFolders: NSFileProviderKnownFolders, localizedReason: String,
        completionHandler: @escaping @Sendable ((any Error)?) -> Void
    ) { Self.calling(completionHandler)(CocoaError(.featureUnsupported)) }
    /// Gives known folders back. It fails with `CocoaError.featureUnsupported`.
    public func releaseKnownFolders(
        _ knownFolders: NSFileProviderKnownFolders, localizedReason: String
    ) async throws {
        try await Self.answer {
            releaseKnownFolders(knownFolders, localizedReason: localizedReason, completionHandler: $0)
        }
    }
}
