import LinuxSystem

/// A request to a server.
///
///     var request = HTTPRequest(.propfind, address, credentials: .basic(user: "ada", password: secret))
///     request.headers["Depth"] = "1"
///     request.body = .text(#"<propfind xmlns="DAV:"><allprop/></propfind>"#)
///     let response = try await client.send(request)
public struct HTTPRequest: Sendable {
    /// The priority among requests that wait for the same server.
    public enum Priority: Sendable {
        /// A user or a program waits for the result.
        case interactive
        /// No user or program waits for the result, so all other requests are sent first.
        case background
    }

    /// The method.
    public var method: HTTPMethod
    /// The address to send the request to.
    public var address: HTTPAddress
    /// Header fields in addition to those that the transport sets: `Host`, `Content-Length`, `Range`, `Authorization`.
    public var headers: HTTPHeaders = [:]
    /// The body. ``HTTPMethod/put`` and ``HTTPMethod/post`` have a body even if it is empty.
    public var body: HTTPBody = .none
    /// The credentials for the origin of ``address``. They are not sent to other origins.
    public var credentials: HTTPCredentials?
    /// The range of the file to request. A request with a body cannot have a range. Exactly this range is delivered,
    /// even if the server sends more.
    public var range: HTTPByteRange?
    /// The request's priority among waiting requests.
    public var priority = Priority.interactive
    /// Whether the server may compress the body of its reply. Has no effect with ``range``.
    public var acceptsCompression = false
    /// The maximum number of redirects to follow. With 0, a redirect is returned as the response.
    ///
    /// Requests that only read are redirected to any origin, but without credentials if the origin differs. All other
    /// requests are redirected only within their origin.
    public var redirectLimit = 10
    /// The rules by which the request is repeated; `nil` for the client's rules.
    public var retry: HTTPRetryPolicy?
    /// The duration without progress after which the request fails; `nil` for the client's duration. A server that
    /// assembles a large upload needs a long time for its reply.
    public var patience: Duration?
    /// A function that is called with the numbers of bytes of the bodies that were sent and received so far. It is
    /// called on the client's thread and must not block.
    public var onProgress: (@Sendable (_ sent: Int, _ received: Int) -> Void)?
    /// Whether the request was redirected to another origin.
    var isAway = false
    /// Whether the reply to the request was lost over HTTP/2.
    var hasLostReply = false

    /// Creates a request without a body.
    public init(_ method: HTTPMethod, _ address: HTTPAddress, credentials: HTTPCredentials? = nil) {
        self.method = method
        self.address = address
        self.credentials = credentials
    }

    /// Whether the request must be sent over HTTP/1.1. Over HTTP/2, libcurl 7.88 loses replies that arrive before the
    /// whole body is sent, such as a reply that requests credentials.
    var avoidsMultiplexing: Bool { hasLostReply || (body.count > 0 && credentials?.needsChallenge == true) }
}

/// The body of a request. It can be read several times, because a request is sent again if the server requests
/// credentials or is busy.
public enum HTTPBody: Sendable {
    case none
    case bytes([UInt8])
    /// A part of a regular file. The file must not change while it is sent, so callers pass a clone or a copy.
    case file(FileDescriptor, offset: Int, count: Int)

    /// Returns a body that consists of the given text in UTF-8.
    public static func text(_ text: String) -> HTTPBody { .bytes(Array(text.utf8)) }

    var count: Int {
        switch self {
        case .none: 0
        case .bytes(let bytes): bytes.count
        case .file(_, _, let count): max(0, count)
        }
    }

    /// Copies bytes of the body into a buffer.
    ///
    /// - Returns: the number of copied bytes; 0 at the end of the body, or at the end of a file that is shorter than
    ///   the body.
    func read(into buffer: UnsafeMutableRawBufferPointer, at position: Int) throws(Errno) -> Int {
        let count = min(buffer.count, self.count - position)
        guard count > 0 else { return 0 }
        switch self {
        case .none: return 0
        case .bytes(let bytes):
            bytes.withUnsafeBytes {
                buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[position...].prefix(count)))
            }
            return count
        case .file(let file, let offset, _):
            return try file.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<count]), at: offset + position)
        }
    }
}

/// The destination of the body of a successful response. The bodies of other statuses are stored in
/// ``HTTPResponse/body``, so that an error page is not mistaken for a file's contents.
public enum HTTPDestination: Sendable {
    /// ``HTTPResponse/body``, up to `limit` bytes. A longer body ends the request with
    /// ``HTTPError/bodyTooLong(_:limit:)``.
    case memory(limit: Int)
    /// A regular file or memory file, which receives the body from `offset` on. If the request fails, some bytes may
    /// have been written. If the request was repeated, the file may contain bytes of an earlier attempt after the first
    /// ``HTTPResponse/deliveredCount`` bytes.
    case file(FileDescriptor, offset: Int)
    /// No destination; the body's bytes are only counted.
    case nowhere
}

/// The destination of the body of one transfer: the request's destination, or a buffer that the caller reads during the
/// transfer.
enum TransferDestination: Sendable {
    case plain(HTTPDestination)
    case stream(StreamBuffer)
}
