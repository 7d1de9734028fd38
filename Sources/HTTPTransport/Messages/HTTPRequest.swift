/// A request to a server.
///
///     var request = HTTPRequest(.propfind, address, credentials: .basic(user: "ada", password: secret))
///     request.headers["Depth"] = "1"
///     request.body = .text(#"<propfind xmlns="DAV:"><allprop/></propfind>"#)
///     let response = try await client.send(request)
public struct HTTPRequest: Sendable {
    /// The order of requests that wait for the same server.
    public enum Priority: Sendable {
        /// A user or a program waits for the result.
        case interactive
        /// Transfers that may wait for all other requests.
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
    /// The credentials for the origin of ``address``. No other origin gets them.
    public var credentials: HTTPCredentials?
    /// The part of the file to get; not for requests with a body. Exactly this part is delivered, even if the server
    /// sends more.
    public var range: HTTPByteRange?
    /// The request's priority among waiting requests.
    public var priority = Priority.interactive
    /// Whether the server may compress the body of its reply. Has no effect with ``range``.
    public var acceptsCompression = false
    /// The number of redirects to follow. 0 returns a redirect as the response.
    ///
    /// Requests that only read are redirected to any origin, but without credentials if the origin differs. All other
    /// requests are redirected only within their origin.
    public var redirectLimit = 10
    /// The rules by which the request is repeated; `nil` for those of the client.
    public var retry: HTTPRetryPolicy?
    /// The time without progress after which the request fails; `nil` for that of the client. A server that
    /// assembles a large upload needs a long time for its reply.
    public var patience: Duration?
    /// A function that is called with the bytes of the bodies sent and received so far. It is called on the client's
    /// thread and must not block.
    public var onProgress: (@Sendable (_ sent: Int, _ received: Int) -> Void)?
    /// Whether a redirect has led the request to another origin.
    var isAway = false
    /// Whether the reply to the request was lost over HTTP/2.
    var hasLostReply = false

    /// Creates a request without a body.
    public init(_ method: HTTPMethod, _ address: HTTPAddress, credentials: HTTPCredentials? = nil) {
        self.method = method
        self.address = address
        self.credentials = credentials
    }

    /// Whether the request is sent over HTTP/1.1 in any case. Over HTTP/2, libcurl 7.88 loses replies that come before
    /// the whole body is sent, as that of a server which requests credentials.
    var avoidsMultiplexing: Bool { hasLostReply || (body.count > 0 && credentials?.needsChallenge == true) }
}
