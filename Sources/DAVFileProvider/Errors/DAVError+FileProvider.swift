import FileProvider
import Foundation
import HTTPTransport
import LinuxSystem
import SQLite
import WebDAVClient

extension DAVError {
    /// The error that the system receives. The error's code determines whether the system retries, requests a sign-in,
    /// or keeps both versions.
    public var fileProviderError: any Error {
        let text = [NSLocalizedDescriptionKey: description.asSentence]
        func error(_ code: NSFileProviderError.Code) -> any Error { NSFileProviderError(code, userInfo: text) }
        return switch self {
        case .transport(.cancelled): CocoaError(.userCancelled)
        case .transport(.file(let errno)):
            NSError(domain: NSPOSIXErrorDomain, code: Int(errno.rawValue), userInfo: text)
        case .transport, .untrustedCertificate: error(.serverUnreachable)
        case .signInPage, .notSignedIn: error(.notAuthenticated)
        case .forbidden: CocoaError(.fileWriteNoPermission, userInfo: text)
        case .notFound, .parentMissing: error(.noSuchItem)
        case .exists: error(.filenameCollision)
        case .requirementFailed, .changed: error(.localVersionConflictingWithServer)
        case .noSpace: error(.insufficientQuota)
        case .tooLarge, .notAllowed, .notDirectory: error(.cannotSynchronize)
        // The server has refused the request permanently, for example because of the item's name.
        case .status(400..<500, _) where !isTransient: error(.cannotSynchronize)
        // The remaining errors are transient: the server is busy, or its reply is invalid.
        case .noWebDAV, .pastEnd, .locked, .tooManyRequests, .unavailable, .clockSkew, .partial, .truncatedListing,
            .invalidReply, .status:
            error(.providerDomainTemporarilyUnavailable)
        }
    }
}

/// Converts this module's errors to errors that the system understands.
package enum SystemErrors {
    static func converting<Reply>(_ body: () throws -> Reply) throws -> Reply {
        do { return try body() } catch { throw Self.error(error) }
    }

    package static func error(_ error: any Error) -> any Error {
        switch error {
        case let error as DAVError: error.fileProviderError
        case let error as MissingAfterRestore: error.fileProviderError
        case let error as HTTPError: DAVError.transport(error).fileProviderError
        case is CancellationError: CocoaError(.userCancelled)
        case let errno as Errno: NSError(domain: NSPOSIXErrorDomain, code: Int(errno.rawValue))
        case let failure as Database.Failure where failure.isFull:
            NSError(domain: NSPOSIXErrorDomain, code: Int(Errno.noSpace.rawValue))
        case let failure as Database.Failure:
            NSFileProviderError(
                .providerDomainTemporarilyUnavailable,
                userInfo: [NSLocalizedDescriptionKey: "The catalogue of the domain failed: \(failure)".asSentence])
        case let error as DAVSetUpError:
            NSFileProviderError(
                .providerDomainTemporarilyUnavailable, userInfo: [NSLocalizedDescriptionKey: error.message])
        default: error
        }
    }
}
