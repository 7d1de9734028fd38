import Foundation

/// The domain of ``NSFileProviderError``.
public let NSFileProviderErrorDomain = "NSFileProviderErrorDomain"
/// In an error's `userInfo`: the item that has the name already. As it was before ``NSFileProviderErrorItemKey``.
public let NSFileProviderErrorCollidingItemKey = "NSFileProviderErrorCollidingItemKey"
/// In an error's `userInfo`: the item that the error is about.
public let NSFileProviderErrorItemKey = "NSFileProviderErrorItemKey"
/// In an error's `userInfo`: the ``NSFileProviderItemIdentifier`` that no item has.
public let NSFileProviderErrorNonExistentItemIdentifierKey = "NSFileProviderErrorNonExistentItemIdentifierKey"

/// Why a provider did not do what it was asked, or why the system could not ask it.
///
/// Source: FileProvider, `NSFileProviderError.h`.
public struct NSFileProviderError: _BridgedStoredNSError {
    /// The error as Foundation has it.
    public let _nsError: NSError
    /// An error of Foundation's, which is one of this domain.
    public init(_nsError: NSError) { self._nsError = _nsError }

    /// An error with a code. Where `userInfo` has no description, the code's is added.
    public init(_ code: Code, userInfo: [String: Any] = [:]) {
        var userInfo = userInfo
        if userInfo[NSLocalizedDescriptionKey] == nil { userInfo[NSLocalizedDescriptionKey] = code.sentence }
        self.init(_nsError: NSError(domain: NSFileProviderErrorDomain, code: code.rawValue, userInfo: userInfo))
    }

    /// ``NSFileProviderErrorDomain``.
    public static var errorDomain: String { NSFileProviderErrorDomain }
    /// ``NSFileProviderErrorDomain``.
    public static var _nsErrorDomain: String { NSFileProviderErrorDomain }

    /// What went wrong.
    public enum Code: Int, Sendable, Equatable, _ErrorCodeProtocol {
        /// The error that has such codes.
        public typealias _ErrorType = NSFileProviderError

        /// The person has to sign in first. Nothing is asked until ``NSFileProviderManager/signalErrorResolved(_:)``.
        case notAuthenticated = -1000
        /// Another item has the name.
        case filenameCollision = -1001
        /// The provider does not know the changes since that moment any more: everything is listed again.
        case syncAnchorExpired = -1002
        /// The person has no space left with the service.
        case insufficientQuota = -1003
        /// The service cannot be reached.
        case serverUnreachable = -1004
        /// There is no such item.
        case noSuchItem = -1005
        /// The item may not be removed.
        case deletionRejected = -1006
        /// The folder is not empty.
        case directoryNotEmpty = -1007
        /// There is no provider, or none that serves the domain.
        case providerNotFound = -2001
        /// The provider lies where it may not be run from.
        case providerTranslocated = -2002
        /// An older version of the provider is running.
        case olderExtensionVersionRunning = -2003
        /// There is a newer version of the provider.
        case newerExtensionVersionFound = -2004
        /// The item cannot be synchronized.
        case cannotSynchronize = -2005
        /// Something in the folder has to stay on this machine.
        case nonEvictableChildren = -2006
        /// The item has changes that the service does not have yet.
        case unsyncedEdits = -2007
        /// The item has to stay on this machine.
        case nonEvictable = -2008
        /// The service does not have the version any more.
        case versionNoLongerAvailable = -2009
        /// The item stays on this machine only.
        case excludedFromSync = -2010
        /// The person has switched the domain off.
        case domainDisabled = -2011
        /// The domain cannot be used for the moment.
        case providerDomainTemporarilyUnavailable = -2012
        /// There is no such domain.
        case providerDomainNotFound = -2013
        /// The program has no extension that provides files.
        case applicationExtensionNotFound = -2014
        /// The item was changed here and by the service.
        case localVersionConflictingWithServer = -2015

        /// The same as ``syncAnchorExpired``.
        public static var pageExpired: Code { .syncAnchorExpired }
    }
}

// Foundation's own way of hashing such an error ends the process on Linux.
extension NSFileProviderError {
    /// Whether code and `userInfo` are the same.
    public static func == (one: NSFileProviderError, other: NSFileProviderError) -> Bool {
        one._nsError.isEqual(other._nsError)
    }
    /// Of the code.
    public func hash(into hasher: inout Hasher) { hasher.combine(_nsError.code) }
}

/// The codes, as `NSFileProviderError.noSuchItem`.
extension NSFileProviderError {
    /// The person has to sign in first.
    public static var notAuthenticated: Code { .notAuthenticated }
    /// Another item has the name.
    public static var filenameCollision: Code { .filenameCollision }
    /// The provider does not know the changes since that moment any more.
    public static var syncAnchorExpired: Code { .syncAnchorExpired }
    /// The same as ``syncAnchorExpired``.
    public static var pageExpired: Code { .syncAnchorExpired }
    /// The person has no space left with the service.
    public static var insufficientQuota: Code { .insufficientQuota }
    /// The service cannot be reached.
    public static var serverUnreachable: Code { .serverUnreachable }
    /// There is no such item.
    public static var noSuchItem: Code { .noSuchItem }
    /// The item may not be removed.
    public static var deletionRejected: Code { .deletionRejected }
    /// The folder is not empty.
    public static var directoryNotEmpty: Code { .directoryNotEmpty }
    /// There is no provider, or none that serves the domain.
    public static var providerNotFound: Code { .providerNotFound }
    /// The provider lies where it may not be run from.
    public static var providerTranslocated: Code { .providerTranslocated }
    /// An older version of the provider is running.
    public static var olderExtensionVersionRunning: Code { .olderExtensionVersionRunning }
    /// There is a newer version of the provider.
    public static var newerExtensionVersionFound: Code { .newerExtensionVersionFound }
    /// The item cannot be synchronized.
    public static var cannotSynchronize: Code { .cannotSynchronize }
    /// Something in the folder has to stay on this machine.
    public static var nonEvictableChildren: Code { .nonEvictableChildren }
    /// The item has changes that the service does not have yet.
    public static var unsyncedEdits: Code { .unsyncedEdits }
    /// The item has to stay on this machine.
    public static var nonEvictable: Code { .nonEvictable }
    /// The service does not have the version any more.
    public static var versionNoLongerAvailable: Code { .versionNoLongerAvailable }
    /// The item stays on this machine only.
    public static var excludedFromSync: Code { .excludedFromSync }
    /// The person has switched the domain off.
    public static var domainDisabled: Code { .domainDisabled }
    /// The domain cannot be used for the moment.
    public static var providerDomainTemporarilyUnavailable: Code { .providerDomainTemporarilyUnavailable }
    /// There is no such domain.
    public static var providerDomainNotFound: Code { .providerDomainNotFound }
    /// The program has no extension that provides files.
    public static var applicationExtensionNotFound: Code { .applicationExtensionNotFound }
    /// The item was changed here and by the service.
    public static var localVersionConflictingWithServer: Code { .localVersionConflictingWithServer }
}

/// Whether an error has a code: also one that is an `NSError` of the domain, which no cast on Linux makes an
/// ``NSFileProviderError``.
public func ~= (code: NSFileProviderError.Code, error: any Error) -> Bool {
    let error = error as NSError
    return error.domain == NSFileProviderErrorDomain && error.code == code.rawValue
}

extension NSFileProviderError.Code {
    /// For people.
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
        case .localVersionConflictingWithServer: "The item was changed here and by the service."
        }
    }
}
