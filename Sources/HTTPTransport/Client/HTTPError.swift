import LinuxSystem

/// The reason why a request has no response. The description is a sentence that names the server.
public enum HTTPError: Error, Equatable {
    /// The address is invalid. The values are the address and the reason.
    case invalidAddress(String, String)
    /// A method, or a header field's name or value, that cannot be sent.
    case invalidHeader(String)
    /// No server has the host name of this origin.
    case unknownHost(HTTPOrigin)
    /// No program listens at the address and port of this origin.
    case refused(HTTPOrigin)
    /// No connection could be made. The text is the system's reason.
    case unreachable(HTTPOrigin, String)
    /// The proxy cannot be reached. The text is the reason.
    case proxy(HTTPOrigin, String)
    /// The proxy refuses to connect to the server. The status is 407 if the proxy requires a password.
    case proxyRefused(HTTPOrigin, status: Int)
    /// The server's certificate is not trusted.
    case untrustedCertificate(HTTPOrigin, UntrustedCertificate)
    /// No encrypted connection could be made. The text is the reason.
    case secureConnection(HTTPOrigin, String)
    /// The transfer made no progress for this duration. ``HTTPConfiguration/patience`` states what counts as progress.
    case noProgress(HTTPOrigin, Duration)
    /// The connection ended before the response was complete. The values are the numbers of bytes of the body that were
    /// received and announced.
    case truncated(HTTPOrigin, received: Int, announced: Int?)
    /// The connection ended or failed before a response began. The text is the reason.
    case connectionLost(HTTPOrigin, String)
    /// The reply violates the protocol or does not fit the request. The text is the reason.
    case invalidReply(HTTPOrigin, String)
    /// The head of the response is longer than this number of bytes.
    case headTooLong(HTTPOrigin, limit: Int)
    /// The body of the response is longer than this number of bytes.
    case bodyTooLong(HTTPOrigin, limit: Int)
    /// The server redirects too often, in a circle, or to an address to which the request must not be sent. The text is
    /// the reason.
    case redirect(HTTPOrigin, String)
    /// The server refused the request with this status.
    case status(Int, HTTPOrigin)
    /// The file changed at the server while parts of it were read.
    case changed(HTTPOrigin)
    /// The request's file could not be read, or the response's file could not be written.
    case file(Errno)
    /// The request's file is shorter than the byte count of the request's body.
    case fileTooShort
    /// The task was cancelled.
    case cancelled
    /// The client was closed.
    case closed
    /// The process has no memory for the request, or no thread for the client.
    case outOfMemory
    /// An unexpected failure of libcurl. The text is libcurl's message.
    case transport(HTTPOrigin, String)

    /// A server's certificate that is not trusted, or the lack of a certificate.
    public struct UntrustedCertificate: Equatable, Sendable {
        /// The certificate's fingerprint, or `nil` if the server presented none.
        public let fingerprint: HTTPFingerprint?
        /// The reason in a few words, such as "self-signed certificate".
        public let reason: String
        /// The accepted fingerprint of this server, if it differs from the presented one.
        public let accepted: HTTPFingerprint?
    }

    /// Whether it is certain that the server has not seen the request.
    public var isUnsent: Bool {
        switch self {
        case .invalidAddress, .invalidHeader, .unknownHost, .refused, .unreachable, .proxy, .proxyRefused,
            .untrustedCertificate, .secureConnection:
            true
        default: false
        }
    }

    /// Whether the same request may succeed later without a change by the caller, because only the network or the
    /// server has to change.
    public var isTransient: Bool {
        switch self {
        case .unknownHost, .refused, .unreachable, .proxy, .secureConnection, .noProgress, .truncated, .connectionLost,
            .changed:
            true
        default: false
        }
    }
}

extension HTTPError: CustomStringConvertible {
    /// A sentence that neither begins with a capital letter nor ends with a period.
    public var description: String {
        switch self {
        case .invalidAddress(let text, let reason): "“\(text.prefix(200))” is not the address of a server: \(reason)"
        case .invalidHeader(let name): "the header “\(name.prefix(80))” has characters that cannot be sent"
        case .unknownHost(let origin): "no server is known by the name “\(origin.host)”"
        case .refused(let origin): "\(origin) refuses connections: no server runs there"
        case .unreachable(let origin, let reason): "\(origin) cannot be reached: \(reason)"
        case .proxy(let origin, let reason): "the proxy for \(origin) cannot be used: \(reason)"
        case .proxyRefused(let origin, let status):
            "the proxy refused to connect to \(origin) with status \(status)"
        case .untrustedCertificate(let origin, let certificate): Self.sentence(origin, certificate)
        case .secureConnection(let origin, let reason): "no encrypted connection to \(origin): \(reason)"
        case .noProgress(let origin, let time):
            "\(origin) did not transfer anything for \(time.components.seconds) seconds"
        case .truncated(let origin, let received, let announced):
            if let announced {
                "\(origin) ended its reply after \(received) of \(announced) bytes"
            } else {
                "\(origin) ended its reply too early, after \(received) bytes"
            }
        case .connectionLost(let origin, let reason): "the connection to \(origin) was lost: \(reason)"
        case .invalidReply(let origin, let reason): "\(origin) sent an invalid reply: \(reason)"
        case .headTooLong(let origin, let limit): "\(origin) sends more than \(limit) bytes of headers"
        case .bodyTooLong(let origin, let limit): "\(origin) sends more than the \(limit) bytes that are allowed"
        case .redirect(let origin, let reason): "\(origin) redirects the request, but \(reason)"
        case .status(let status, let origin): "\(origin) refused the request with status \(status)"
        case .changed(let origin): "the file at \(origin) changed while it was read"
        case .file(let error): "the file of the transfer failed: \(error)"
        case .fileTooShort: "the file to send became shorter while it was sent"
        case .cancelled: "the request was cancelled"
        case .closed: "the connections were closed"
        case .outOfMemory: "there is no memory for the request"
        case .transport(let origin, let reason): "the request to \(origin) failed: \(reason)"
        }
    }

    private static func sentence(_ origin: HTTPOrigin, _ certificate: UntrustedCertificate) -> String {
        let fingerprint = certificate.fingerprint.map { "with the fingerprint \($0)" } ?? "without a fingerprint"
        let change = certificate.accepted == nil ? "" : "is not the one that was accepted, and "
        return "the certificate of \(origin) \(fingerprint) \(change)is not trusted: \(certificate.reason)"
    }
}
