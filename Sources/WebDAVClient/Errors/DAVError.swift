import HTTPTransport
import XMLStream

/// The reason why a server has not carried out a request. The description is one sentence, with advice if the user can
/// solve the problem.
///
/// Paths in errors are the server's paths, decoded.
public enum DAVError: Error, Equatable {
    /// No complete response was received. The value is the transport's error.
    case transport(HTTPError)
    /// The server's certificate is not trusted.
    case untrustedCertificate(HTTPOrigin, HTTPError.UntrustedCertificate)
    /// The reply was a sign-in page.
    case signInPage(HTTPOrigin)
    /// The address does not support WebDAV.
    case noWebDAV(HTTPOrigin)
    /// The address is that of a file, but a directory is needed.
    case notDirectory(String)
    /// The user and password are wrong, or have expired.
    case notSignedIn(HTTPOrigin)
    /// The server denies this user access to the path. The reason is the server's own; `nil` if it sent none.
    case forbidden(String, reason: String?)
    /// Nothing exists at the path.
    case notFound(String)
    /// The server does not support this method at the path.
    case notAllowed(HTTPMethod, String)
    /// An item already exists at the path.
    case exists(String)
    /// The parent directory of the path does not exist.
    case parentMissing(String)
    /// The path is not in the state that the request requires, because another client changed it.
    case requirementFailed(String)
    /// The file changed while it was read.
    case changed(String)
    /// The requested bytes are beyond the end of the file. `size` is that of the file, if it is known.
    case pastEnd(String, size: Int?)
    /// The server, or a proxy in front of it, does not accept a file of this size.
    case tooLarge(String)
    /// Another client has locked the path. `owner` is the owner in the lock.
    case locked(String, owner: String?)
    /// The server refuses the request because it received too many requests. It accepts requests again after the given
    /// duration; `nil` if the server did not report one.
    case tooManyRequests(HTTPOrigin, after: Duration?)
    /// The server is busy or in maintenance. The duration is the same as for ``tooManyRequests(_:after:)``.
    case unavailable(HTTPOrigin, after: Duration?)
    /// The account's quota is exhausted.
    case noSpace(HTTPOrigin)
    /// The clocks differ by this number of seconds; positive if the server's clock is ahead.
    case clockSkew(HTTPOrigin, seconds: Int64)
    /// The server carried out only a part of the operation: the first path that failed, its status, and the number of
    /// failed paths.
    case partial(String, status: Int, count: Int)
    /// The server left out entries of the directory.
    case truncatedListing(String)
    /// The reply violates the protocol. The text is the reason.
    case invalidReply(HTTPOrigin, String)
    /// Any other status.
    case status(Int, String)

    /// Whether the same request may succeed later, without a change by the user.
    public var isTransient: Bool {
        switch self {
        case .transport(let error): error.isTransient
        case .locked, .tooManyRequests, .unavailable, .truncatedListing, .changed: true
        case .status(let status, _): status == 502 || status == 504 || status == 425
        default: false
        }
    }

    /// Whether the server may have carried out the request although it failed. The caller must then check the result
    /// before it repeats the request.
    public var mayHaveSucceeded: Bool {
        switch self {
        case .transport(let error): !error.isUnsent
        // A proxy may report that the server is busy after the server has carried out the request.
        case .partial, .invalidReply, .unavailable: true
        case .status(let status, _): status >= 500 && status != 501
        default: false
        }
    }
}

extension DAVError: CustomStringConvertible {
    /// One sentence, without a capital letter and a period.
    public var description: String {
        switch self {
        case .transport(let error): error.description
        case .untrustedCertificate(let origin, let certificate):
            "\(HTTPError.untrustedCertificate(origin, certificate)); compare the fingerprint before you accept it"
        case .signInPage(let origin):
            "\(origin) shows a page to sign in instead of files: use the address for WebDAV and an app password"
        case .noWebDAV(let origin): "\(origin) has no WebDAV at this address: look for it in the server's settings"
        case .notDirectory(let path): "“\(path)” is a file: use the address of a folder"
        case .notSignedIn(let origin): "\(origin) does not accept the user and password: sign in again"
        case .forbidden(let path, let reason):
            "the server does not permit this for “\(path)”\(reason.map { ": \($0)" } ?? "")"
        case .notFound(let path): "“\(path)” does not exist at the server: check the address"
        case .notAllowed(let method, let path): "the server has no \(method) for “\(path)”"
        case .exists(let path): "“\(path)” exists at the server already"
        case .parentMissing(let path): "the folder of “\(path)” does not exist at the server"
        case .requirementFailed(let path): "“\(path)” was changed by another client"
        case .changed(let path): "“\(path)” changed at the server while it was read"
        case .pastEnd(let path, let size):
            "“\(path)” ends before the requested bytes\(size.map { ", after \($0) bytes" } ?? "")"
        case .tooLarge(let path): "“\(path)” is larger than the server takes"
        case .locked(let path, let owner): "“\(path)” is locked\(owner.map { " by \($0)" } ?? " by another client")"
        case .tooManyRequests(let origin, let after): "\(origin) gets too many requests: try again \(Self.later(after))"
        case .unavailable(let origin, let after):
            "\(origin) is busy or in maintenance: try again \(Self.later(after))"
        case .noSpace(let origin): "the account at \(origin) is full: remove files there, or get more room"
        case .clockSkew(let origin, let seconds):
            "the clock of \(origin) is \(seconds.magnitude) seconds \(seconds < 0 ? "behind" : "ahead"): "
                + "set the clock of this machine or of the server"
        case .partial(let path, let status, let count):
            "the server did not do all: \(count) paths failed, the first of them “\(path)” with status \(status)"
        case .truncatedListing(let path): "the server left out files of “\(path)”"
        case .invalidReply(let origin, let reason): "\(origin) sent an invalid reply: \(reason)"
        case .status(let status, let path): "the server replied with status \(status) for “\(path)”"
        }
    }

    private static func later(_ duration: Duration?) -> String {
        duration.map { "in \(max(1, $0.components.seconds)) seconds" } ?? "later"
    }

    /// Returns the path of an address for messages, without the slash of directories.
    package static func name(of address: HTTPAddress) -> String {
        let path =
            address.path.count > 1 && address.path.hasSuffix("/") ? String(address.path.dropLast()) : address.path
        return path.percentDecoded ?? path
    }
}
