import FileProviderWire
import Foundation
import ItemValues
import LinuxSystem

extension ProviderError {
    /// Converts a provider's error to the engine's form. The failure is transient if neither the error nor one of its
    /// underlying errors has a known domain (file provider, Cocoa, POSIX, URL) and code.
    package init(_ error: any Error) {
        switch error {
        case let failure as ProviderError: self = failure
        case let errno as Errno:
            self.init(
                Self.kind(of: errno.rawValue), message: "\(errno)", domain: NSPOSIXErrorDomain,
                code: Int(errno.rawValue))
        case is CancellationError: self.init(.cancelled, message: "It was cancelled.")
        default: self.init(error as NSError, of: error)
        }
    }

    private init(_ error: NSError, of original: any Error) {
        let item = error.userInfo[NSFileProviderErrorItemKey] ?? error.userInfo[NSFileProviderErrorCollidingItemKey]
        let kind = Self.kind(of: error, depth: 0)
        self.init(
            kind, message: Self.sentence(error, original), domain: Self.shortened(error.domain), code: error.code,
            collidingItem: kind == .filenameCollision
                ? (item as? any NSFileProviderItemProtocol)?.itemIdentifier.rawValue : nil,
            suggestion: error.localizedRecoverySuggestion.map(Self.shortened))
    }

    /// The failure as a file provider or Cocoa error.
    package var error: any Error {
        var userInfo: [String: Any] = [NSLocalizedDescriptionKey: message]
        if let suggestion { userInfo[NSLocalizedRecoverySuggestionErrorKey] = suggestion }
        if let collidingItem {
            var item = ProviderItem(identifier: collidingItem, parent: "", filename: "", kind: .file)
            item.flags = []
            userInfo[NSFileProviderErrorItemKey] = ProviderItemObject(item)
        }
        if domain == NSFileProviderErrorDomain, let code = NSFileProviderError.Code(rawValue: code) {
            return NSFileProviderError(code, userInfo: userInfo)
        }
        if let code = providerCode {
            if !domain.isEmpty { userInfo[NSUnderlyingErrorKey] = NSError(domain: domain, code: self.code) }
            return NSFileProviderError(code, userInfo: userInfo)
        }
        switch kind {
        case .cancelled: return CocoaError(.userCancelled, userInfo: userInfo)
        case .unsupported: return CocoaError(.featureUnsupported, userInfo: userInfo)
        case .noSpace: return CocoaError(.fileWriteOutOfSpace, userInfo: userInfo)
        case .notPermitted: return CocoaError(.fileReadNoPermission, userInfo: userInfo)
        default: return NSError(domain: domain.isEmpty ? NSCocoaErrorDomain : domain, code: code, userInfo: userInfo)
        }
    }

    private var providerCode: NSFileProviderError.Code? {
        switch kind {
        case .notAuthenticated: .notAuthenticated
        case .serverUnreachable: .serverUnreachable
        case .insufficientQuota: .insufficientQuota
        case .noSuchItem: .noSuchItem
        case .expired: .syncAnchorExpired
        case .filenameCollision: .filenameCollision
        case .deletionRejected: .deletionRejected
        case .directoryNotEmpty: .directoryNotEmpty
        case .cannotSynchronize, .badAnswer: .cannotSynchronize
        case .processEnded: .providerDomainTemporarilyUnavailable
        case .disabled: .domainDisabled
        case .transient, .unsupported, .cancelled, .noSpace, .notPermitted: nil
        }
    }

    /// The maximum depth to which underlying errors are examined.
    private static let deepest = 8

    private static func kind(of error: NSError, depth: Int) -> Kind {
        let kind: Kind =
            switch error.domain {
            case NSFileProviderErrorDomain:
                NSFileProviderError.Code(rawValue: error.code).map { Self.kind(of: $0) } ?? .transient
            case NSCocoaErrorDomain: kind(of: CocoaError.Code(rawValue: error.code))
            case NSPOSIXErrorDomain: Int32(exactly: error.code).map { Self.kind(of: $0) } ?? .transient
            case NSURLErrorDomain: kind(ofURLError: error.code)
            default: .transient
            }
        guard kind == .transient, depth < deepest, let cause = error.userInfo[NSUnderlyingErrorKey] as? NSError else {
            return kind
        }
        return Self.kind(of: cause, depth: depth + 1)
    }

    private static func kind(of code: NSFileProviderError.Code) -> Kind {
        switch code {
        case .notAuthenticated: .notAuthenticated
        case .filenameCollision: .filenameCollision
        case .syncAnchorExpired: .expired
        case .insufficientQuota: .insufficientQuota
        case .serverUnreachable: .serverUnreachable
        case .noSuchItem: .noSuchItem
        case .deletionRejected: .deletionRejected
        case .directoryNotEmpty: .directoryNotEmpty
        case .cannotSynchronize, .excludedFromSync: .cannotSynchronize
        case .domainDisabled: .disabled
        case .nonEvictable, .nonEvictableChildren, .unsyncedEdits: .notPermitted
        case .providerNotFound, .providerTranslocated, .olderExtensionVersionRunning, .newerExtensionVersionFound,
            .versionNoLongerAvailable, .providerDomainTemporarilyUnavailable, .providerDomainNotFound,
            .applicationExtensionNotFound,
            // When the engine retries, it requests the service's version, and keeps both versions.
            .localVersionConflictingWithServer:
            .transient
        }
    }

    private static func kind(of code: CocoaError.Code) -> Kind {
        switch code {
        case .userCancelled: .cancelled
        case .featureUnsupported: .unsupported
        case .fileNoSuchFile, .fileReadNoSuchFile: .noSuchItem
        case .fileWriteFileExists: .filenameCollision
        case .fileWriteOutOfSpace: .noSpace
        case .fileReadNoPermission, .fileWriteNoPermission, .fileWriteVolumeReadOnly: .notPermitted
        default: .transient
        }
    }

    private static func kind(of errno: Int32) -> Kind {
        switch Errno(rawValue: errno) {
        case .noSuchFile: .noSuchItem
        case .fileExists: .filenameCollision
        case .noSpace, .quotaExceeded: .noSpace
        case .notEmpty: .directoryNotEmpty
        case .permissionDenied, .notPermitted: .notPermitted
        case .notSupported, .noSystemCall: .unsupported
        case .canceled: .cancelled
        default: .transient
        }
    }

    private static func kind(ofURLError code: Int) -> Kind {
        switch code {
        case NSURLErrorCancelled: .cancelled
        case NSURLErrorUserAuthenticationRequired: .notAuthenticated
        case NSURLErrorNotConnectedToInternet, NSURLErrorCannotFindHost, NSURLErrorCannotConnectToHost,
            NSURLErrorTimedOut, NSURLErrorNetworkConnectionLost, NSURLErrorDNSLookupFailed:
            .serverUnreachable
        default: .transient
        }
    }

    /// Returns the text, shortened to at most 1,000 characters, because texts in programs' errors may be of any length.
    private static func shortened(_ text: String) -> String { text.count > 1000 ? text.prefix(999) + "…" : text }

    private static func sentence(_ error: NSError, _ original: any Error) -> String {
        // For a Swift error without a description of its own, Foundation's text says only that the operation could not
        // be completed.
        let isForeign =
            error.userInfo[NSLocalizedDescriptionKey] == nil && type(of: original) != NSError.self
            && !(original is any LocalizedError) && !(original is any CustomNSError)
        return shortened(isForeign ? "\(original)" : error.localizedDescription)
    }
}
