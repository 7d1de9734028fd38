import Glibc
import HTTPTransport
import XMLStream

/// A client of WebDAV servers (RFC 4918).
///
/// The client is stateless. All functions end at once when their task is cancelled, and throw ``DAVError``. Addresses
/// of directories end with a slash, which some servers require.
///
///     let client = DAVClient(http, credentials: .basic(user: "ada", password: secret))
///     let root = try HTTPAddress("https://cloud.example/dav/")
///     let listing = try await client.list(root)
///     while let entries = try await listing.next() { … }
public struct DAVClient: Sendable {
    /// The HTTP client, which reuses the connections.
    public let http: HTTPClient
    /// The credentials of the user.
    public var credentials: HTTPCredentials?
    /// Properties to request in addition to the default ones. ``DAVEntry/property(_:)`` returns their values.
    public var additionalProperties: [XMLName] = []
    /// The priority of the client's requests.
    public var priority = HTTPRequest.Priority.interactive
    /// A function that is called during each request with the numbers of bytes of the bodies that were sent and
    /// received so far. It is called on the connections' thread and must not block.
    public var onProgress: (@Sendable (_ sent: Int, _ received: Int) -> Void)?
    /// A function that returns the current date, with which the server's clock is compared.
    public var now: @Sendable () -> HTTPDate = { HTTPDate(seconds: Int64(time(nil))) }
    /// The clock that measures the pauses of ``probe(_:)``, and those between repeated requests.
    public var clock: any Clock<Duration> = ContinuousClock()

    /// Creates a client.
    public init(_ http: HTTPClient, credentials: HTTPCredentials? = nil) {
        self.http = http
        self.credentials = credentials
    }

    /// Returns a request with the client's credentials.
    package func request(_ method: HTTPMethod, _ address: HTTPAddress) -> HTTPRequest {
        var request = HTTPRequest(method, address, credentials: credentials)
        request.priority = priority
        request.onProgress = onProgress
        return request
    }

    /// Returns a request with a body of XML.
    package func request(_ method: HTTPMethod, _ address: HTTPAddress, xml: String) -> HTTPRequest {
        var request = request(method, address)
        request.headers["Content-Type"] = "application/xml; charset=utf-8"
        request.body = .text("<?xml version=\"1.0\" encoding=\"utf-8\"?>\n" + xml)
        return request
    }

    /// Sends a request.
    ///
    /// - Returns: the response, regardless of its status.
    package func attempt(
        _ request: HTTPRequest, to destination: HTTPDestination = .memory(limit: 16 << 20)
    ) async throws(DAVError) -> HTTPResponse {
        let response: HTTPResponse
        do {
            response = try await http.send(request, to: destination)
        } catch {
            throw DAVError(error)
        }
        // Unlike other replies, the contents of a file contain no addresses to which later requests could be sent.
        if request.method != .get { try requireOrigin(of: request, response) }
        return response
    }

    /// Throws an error if a request with credentials was redirected to another server. Later requests would send the
    /// credentials to the addresses in that server's reply.
    package func requireOrigin(of request: HTTPRequest, _ response: HTTPResponse) throws(DAVError) {
        let (origin, target) = (request.address.origin, response.address.origin)
        guard request.credentials != nil, target != origin else { return }
        guard target.host != origin.host else {
            throw .transport(.redirect(origin, "the password is not sent on: use the address \(target)"))
        }
        let isPage = response.headers["Content-Type"]?.lowercased().hasPrefix("text/html") ?? false
        throw isPage ? .signInPage(origin) : .transport(.redirect(origin, "\(target) is another server"))
    }

    /// The delays before the repetitions of a request that the server has refused because of its own lock.
    private static let delaysAfterLock: [Duration] = [.milliseconds(100), .milliseconds(300), .seconds(1)]

    /// Sends a request that must succeed.
    ///
    /// Nextcloud locks files and their folders during each request, and unlocks them after it has sent the reply. No
    /// client owns such a lock, and `PROPFIND` does not report it. If the server refuses a request without a body
    /// because of such a lock, the request is repeated.
    package func send(
        _ request: HTTPRequest, to destination: HTTPDestination = .memory(limit: 16 << 20)
    ) async throws(DAVError) -> HTTPResponse {
        var delays = Self.delaysAfterLock[...]
        while true {
            let response = try await attempt(request, to: destination)
            do {
                try await check(response, to: request)
                return response
            } catch {
                guard case .locked(_, owner: nil) = error, [.delete, .move, .copy, .mkcol].contains(request.method),
                    let delay = delays.popFirst()
                else { throw error }
                do { try await clock.sleep(for: delay) } catch { throw .transport(.cancelled) }
            }
        }
    }

    /// Throws the error for a response whose status is not 2xx.
    package func check(_ response: HTTPResponse, to request: HTTPRequest) async throws(DAVError) {
        guard !response.isSuccess else { return }
        let path = DAVError.name(of: request.address)
        // The owner of a lock is requested with PROPFIND. If PROPFIND itself is refused, requesting the owner would
        // recurse without end.
        guard response.status == 423, request.method != .propfind else {
            throw DAVError(status: response.status, path, response, request.method)
        }
        // If a request concerns two paths, servers that comply with the protocol return the locked path in their reply.
        var locked = [request.address]
        if let error = try? DAVTreeBuilder.document(response.body),
            let href = error.child("lock-token-submitted")?.child("href")?.text.trimmed,
            let address = try? request.address.resolving(String(href)), address.origin == request.address.origin
        {
            locked.insert(address, at: 0)
        }
        if let target = request.headers["Destination"].flatMap({ try? HTTPAddress($0) }) { locked.append(target) }
        for address in locked {
            guard let lock = try? await locks(of: address).first else { continue }
            throw .locked(DAVError.name(of: address), owner: lock.owner)
        }
        throw .locked(path, owner: nil)
    }

    /// Throws an error if a multistatus reports that an operation failed for a part of a directory tree.
    package func requireAll(_ response: HTTPResponse, _ method: HTTPMethod) throws(DAVError) {
        guard response.status == 207 else { return }
        let element: DAVElement
        do {
            element = try DAVTreeBuilder.document(response.body)
        } catch {
            throw .unreadable(response, beginning: response.body, error.description)
        }
        let failures = element.children.filter { $0.name == .dav("response") }.map { DAVResponse($0) }.filter {
            // Status 424 only means that the operation failed because of another failure.
            $0.status.map { !(200..<300 ~= $0) && $0 != 424 } ?? false
        }
        guard let first = failures.first, let status = first.status else { return }
        let path = first.hrefs.first.map { $0.percentDecoded ?? $0 } ?? ""
        throw .partial(path, status: status, count: failures.count)
    }
}
