import Foundation

/// The domain of ``NSFileProviderError``.
public let NSFileProviderErrorDomain = "NSFileProviderErrorDomain"
/// The key in an error's `userInfo` for the item that already has the requested name. Superseded by
/// ``NSFileProviderErrorItemKey``.
public let NSFileProviderErrorCollidingItemKey = "NSFileProviderErrorCollidingItemKey"
/// The key in an error's `userInfo` for the item that caused the error.
public let NSFileProviderErrorItemKey = "NSFileProviderErrorItemKey"
/// The key in an error's `userInfo` for the ``NSFileProviderItemIdentifier`` of an item that does not exist.
public let NSFileProviderErrorNonExistentItemIdentifierKey = "NSFileProviderErrorNonExistentItemIdentifierKey"

/// The failure of a provider, or of the system when it sends a request to a provider.
///
/// Source: FileProvider, `NSFileProviderError.h`.
public struct NSFileProviderError: _BridgedStoredNSError {
    /// The same error as an `NSError`.
    public let _nsError: NSError
    /// Creates the error from an error of Foundation in the same domain.
    public init(_nsError: NSError) { self._nsError = _nsError }

    /// Creates an error with a code. If `userInfo` has no description, the description of the code is added.
    public init(_ code: Code, userInfo: [String: Any] = [:]) {
        var userInfo = userInfo
        if userInfo[NSLocalizedDescriptionKey] == nil { userInfo[NSLocalizedDescriptionKey] = code.sentence }
        self.init(_nsError: NSError(domain: NSFileProviderErrorDomain, code: code.rawValue, userInfo: userInfo))
    }

    /// ``NSFileProviderErrorDomain``.
    public static var errorDomain: String { NSFileProviderErrorDomain }
    /// ``NSFileProviderErrorDomain``.
    public static var _nsErrorDomain: String { NSFileProviderErrorDomain }

    /// The kinds of failure.
    public enum Code: Int, Sendable, Equatable, _ErrorCodeProtocol {
        /// The error that has these codes.
        public typealias _ErrorType = NSFileProviderError

        /// A user who is not signed in. The system sends no requests to the provider until
        /// ``NSFileProviderManager/signalErrorResolved(_:)``.
        case notAuthenticated = -1000
        /// A name that is taken by another item.
        case filenameCollision = -1001
        /// A sync anchor or page that the provider does not recognize any more. The system enumerates all items again.
        case syncAnchorExpired = -1002
        /// An exceeded quota of the user's account.
        case insufficientQuota = -1003
        /// An unreachable service.
        case serverUnreachable = -1004
        /// An item that does not exist.
        case noSuchItem = -1005
        /// An item that must not be deleted.
        case deletionRejected = -1006
        /// A directory that is not empty.
        case directoryNotEmpty = -1007
        /// A provider that is not installed, or a domain without a provider.
        case providerNotFound = -2001
        /// A provider in a directory from which it must not run.
        case providerTranslocated = -2002
        /// An older version of the provider, which is still running.
        case olderExtensionVersionRunning = -2003
        /// A newer version of the provider than the one that runs.
        case newerExtensionVersionFound = -2004
        /// An item that cannot be synchronized.
        case cannotSynchronize = -2005
        /// A directory with an item that must stay local.
        case nonEvictableChildren = -2006
        /// An item with changes that are not uploaded.
        case unsyncedEdits = -2007
        /// An item that must stay local.
        case nonEvictable = -2008
        /// A version that the service does not have any more.
        case versionNoLongerAvailable = -2009
        /// An item that stays on this machine only.
        case excludedFromSync = -2010
        /// A domain that the user has disabled.
        case domainDisabled = -2011
        /// A domain that cannot be used at the moment.
        case providerDomainTemporarilyUnavailable = -2012
        /// A domain that does not exist.
        case providerDomainNotFound = -2013
        /// A program without a file provider extension.
        case applicationExtensionNotFound = -2014
        /// An item that was changed both locally and by the service.
        case localVersionConflictingWithServer = -2015

        /// The same as ``syncAnchorExpired``.
        public static var pageExpired: Code { .syncAnchorExpired }
    }
}

// These functions replace those of Foundation, whose hash of such an error ends the process on Linux.
extension NSFileProviderError {
    /// Whether the codes and the `userInfo` of both errors are equal.
    public static func == (one: NSFileProviderError, other: NSFileProviderError) -> Bool {
        one._nsError.isEqual(other._nsError)
    }
    /// Hashes the code.
    public func hash(into hasher: inout Hasher) { hasher.combine(_nsError.code) }
}

/// The codes as static members, such as `NSFileProviderError.noSuchItem`.
extension NSFileProviderError {
    /// A user who is not signed in.
    public static var notAuthenticated: Code { .notAuthenticated }
    /// A name that is taken by another item.
    public static var filenameCollision: Code { .filenameCollision }
    /// A sync anchor or page that the provider does not recognize any more.
    public static var syncAnchorExpired: Code { .syncAnchorExpired }
    /// The same as ``syncAnchorExpired``.
    public static var pageExpired: Code { .syncAnchorExpired }
    /// An exceeded quota of the user's account.
    public static var insufficientQuota: Code { .insufficientQuota }
    /// An unreachable service.
    public static var serverUnreachable: Code { .serverUnreachable }
    /// An item that does not exist.
    public static var noSuchItem: Code { .noSuchItem }
    /// An item that must not be deleted.
    public static var deletionRejected: Code { .deletionRejected }
    /// A directory that is not empty.
    public static var directoryNotEmpty: Code { .directoryNotEmpty }
    /// A provider that is not installed, or a domain without a provider.
    public static var providerNotFound: Code { .providerNotFound }
    /// A provider in a directory from which it must not run.
    public static var providerTranslocated: Code { .providerTranslocated }
    /// An older version of the provider, which is still running.
    public static var olderExtensionVersionRunning: Code { .olderExtensionVersionRunning }
    /// A newer version of the provider than the one that runs.
    public static var newerExtensionVersionFound: Code { .newerExtensionVersionFound }
    /// An item that cannot be synchronized.
    public static var cannotSynchronize: Code { .cannotSynchronize }
    /// A directory with an item that must stay local.
    public static var nonEvictableChildren: Code { .nonEvictableChildren }
    /// An item with changes that are not uploaded.
    public static var unsyncedEdits: Code { .unsyncedEdits }
    /// An item that must stay local.
    public static var nonEvictable: Code { .nonEvictable }
    /// A version that the service does not have any more.
    public static var versionNoLongerAvailable: Code { .versionNoLongerAvailable }
    /// An item that stays on this machine only.
    public static var excludedFromSync: Code { .excludedFromSync }
    /// A domain that the user has disabled.
    public static var domainDisabled: Code { .domainDisabled }
    /// A domain that cannot be used at the moment.
    public static var providerDomainTemporarilyUnavailable: Code { .providerDomainTemporarilyUnavailable }
    /// A domain that does not exist.
    public static var providerDomainNotFound: Code { .providerDomainNotFound }
    /// A program without a file provider extension.
    public static var applicationExtensionNotFound: Code { .applicationExtensionNotFound }
    /// An item that was changed both locally and by the service.
    public static var localVersionConflictingWithServer: Code { .localVersionConflictingWithServer }
}

/// Whether an error has the given code. An `NSError` of this domain matches, too, because on Linux it cannot be cast to
/// ``NSFileProviderError``.
public func ~= (code: NSFileProviderError.Code, error: any Error) -> Bool {
    let error = error as NSError
    return error.domain == NSFileProviderErrorDomain && error.code == code.rawValue
}

extension NSFileProviderError.Code {
    /// The description for users.
    fileprivate var sentence: String {
        switch self {
        case .notAuthenticated: "You have to sign in first."
        case .filenameCollision: "Another item has this name."
        case .syncAnchorExpired: "The provider does not know the changes since then any more."
        case .insufficientQuota: "There is no space left with the service."
        case .serverUnreachable: "The service cannot be reached."
        case .noSuchItem: "There is no such item."
        case .deletionRejected: "The item may not be removed."
        case .directoryNotEmpty: "The folder is not empty."
        case .providerNotFound: "There is no provider for this."
        case .providerTranslocated: "The provider lies where it may not be run from."
        case .olderExtensionVersionRunning: "An older version of the provider is running."
        case .newerExtensionVersionFound: "There is a newer version of the provider."
        case .cannotSynchronize: "The item cannot be synchronized."
        case .nonEvictableChildren: "Something in the folder has to stay on this machine."
        case .unsyncedEdits: "The item has changes that the service does not have yet."
        case .nonEvictable: "The item has to stay on this machine."
        case .versionNoLongerAvailable: "The service does not have this version any more."
        case .excludedFromSync: "The item stays on this machine only."
        case .domainDisabled: "The domain is switched off."
        case .providerDomainTemporarilyUnavailable: "The domain cannot be used for the moment."
        case .providerDomainNotFound: "There is no such domain."
        case .applicationExtensionNotFound: "The program has no extension that provides files."
        case .localVersionConflictingWithServer: "The item was changed both on this machine and at the service."
        }
    }
}

extension NSError {
    /// Returns the error for creating, renaming or moving an item to a name that `existingItem` already has.
    public class func fileProviderErrorForCollision(with existingItem: any NSFileProviderItem) -> NSError {
        NSFileProviderError(
            .filenameCollision,
            userInfo: [
                NSFileProviderErrorItemKey: existingItem, NSFileProviderErrorCollidingItemKey: existingItem,
            ]
        )._nsError
    }

    /// Returns the error for a request for an item that the provider does not have.
    public class func fileProviderErrorForNonExistentItem(
        withIdentifier itemIdentifier: NSFileProviderItemIdentifier
    ) -> NSError {
        NSFileProviderError(
            .noSuchItem, userInfo: [NSFileProviderErrorNonExistentItemIdentifierKey: itemIdentifier]
        )._nsError
    }

    /// Returns the error for a removal that the provider refuses.
    ///
    /// - Parameter updatedVersion: the item, which continues to exist.
    public class func fileProviderErrorForRejectedDeletion(of updatedVersion: any NSFileProviderItem) -> NSError {
        NSFileProviderError(.deletionRejected, userInfo: [NSFileProviderErrorItemKey: updatedVersion])._nsError
    }
}
