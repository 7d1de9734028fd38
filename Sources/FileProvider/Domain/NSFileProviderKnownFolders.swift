import Foundation

/// Folders of the user that a provider may take over: the desktop, and the documents.
///
/// On Linux no provider can take over a folder: the request fails. See
/// ``NSFileProviderManager/claimKnownFolders(_:localizedReason:)``.
///
/// Source: FileProvider, `NSFileProviderKnownFolders.h`.
public struct NSFileProviderKnownFolders: OptionSet, Sendable {
    /// The bits of the set.
    public let rawValue: UInt
    /// Creates a set from its bits.
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
        /// The identifier of the folder; `nil` if the folder is to be created.
        public let existingItemIdentifier: NSFileProviderItemIdentifier?
        /// The identifier of the directory in which the folder is to be created; `nil` if the folder exists.
        public let parentItemIdentifier: NSFileProviderItemIdentifier?
        /// The name of the folder that is to be created; `nil` if the folder exists.
        public let filename: String?

        /// Creates the place of a folder that is to be created in another folder.
        public init(parentItemIdentifier: NSFileProviderItemIdentifier, filename: String) {
            existingItemIdentifier = nil
            self.parentItemIdentifier = parentItemIdentifier
            self.filename = filename
            super.init()
        }

        /// Creates the place of an existing folder.
        public init(existingItemIdentifier: NSFileProviderItemIdentifier) {
            self.existingItemIdentifier = existingItemIdentifier
            parentItemIdentifier = nil
            filename = nil
            super.init()
        }
    }

    /// Whether the former path of each folder becomes a symbolic link to the folder's new place.
    open var shouldCreateBinaryCompatibilitySymlink = true
    /// The place of the desktop.
    open var desktopLocation: Location?
    /// The place of the documents.
    open var documentsLocation: Location?

    /// Creates an object without places.
    public override init() { super.init() }
}

/// A provider that can take over known folders. On Linux the system never calls the function of this protocol.
///
/// Source: FileProvider, `NSFileProviderReplicatedExtension.h`.
public protocol NSFileProviderKnownFolderSupporting: NSObjectProtocol {
    /// Returns the places that known folders get in the provider's domain.
    func getKnownFolderLocations(
        _ knownFolders: NSFileProviderKnownFolders,
        completionHandler: @escaping @Sendable (NSFileProviderKnownFolderLocations?, (any Error)?) -> Void
    )
}

extension NSFileProviderDomain {
    /// The known folders that the domain has taken over; always none on Linux.
    public var replicatedKnownFolders: NSFileProviderKnownFolders { [] }
}

extension NSFileProviderManager {
    /// Takes over known folders. Always fails with `CocoaError.featureUnsupported`: the user's configuration
    /// (`xdg-user-dirs`) determines the places of the desktop and the documents. A symbolic link from such a place to a
    /// mounted folder has the same effect.
    public func claimKnownFolders(
        _ knownFolders: NSFileProviderKnownFolderLocations, localizedReason: String,
        completionHandler: @escaping @Sendable ((any Error)?) -> Void
    ) { Self.calling(completionHandler)(CocoaError(.featureUnsupported)) }
    /// Takes over known folders. Always fails with `CocoaError.featureUnsupported`.
    public func claimKnownFolders(
        _ knownFolders: NSFileProviderKnownFolderLocations, localizedReason: String
    ) async throws {
        try await Self.answer {
            claimKnownFolders(knownFolders, localizedReason: localizedReason, completionHandler: $0)
        }
    }

    /// Gives known folders back. Always fails with `CocoaError.featureUnsupported`, because no folder is taken over.
    public func releaseKnownFolders(
        _ knownFolders: NSFileProviderKnownFolders, localizedReason: String,
        completionHandler: @escaping @Sendable ((any Error)?) -> Void
    ) { Self.calling(completionHandler)(CocoaError(.featureUnsupported)) }
    /// Gives known folders back. Always fails with `CocoaError.featureUnsupported`.
    public func releaseKnownFolders(
        _ knownFolders: NSFileProviderKnownFolders, localizedReason: String
    ) async throws {
        try await Self.answer {
            releaseKnownFolders(knownFolders, localizedReason: localizedReason, completionHandler: $0)
        }
    }
}
