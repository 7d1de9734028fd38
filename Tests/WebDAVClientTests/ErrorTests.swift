import CloudTesting
import HTTPTransport
import Testing
import WebDAVClient

struct ErrorTests {
    private let server: OrderedServer
    private var origin: HTTPOrigin { server.root.origin }

    init() async throws { server = try await OrderedServer() }

    @Test(arguments: [
        (401, "does not accept the user and password: sign in again"),
        (403, "the server does not permit this for “/a b”"),
        (404, "“/a b” does not exist at the server: check the address"),
        (405, "the server has no PUT for “/a b”"),
        (409, "the folder of “/a b” does not exist at the server"),
        (412, "“/a b” was changed by another client"),
        (413, "“/a b” is larger than the server takes"),
        (423, "“/a b” is locked by another client"),
        (429, "gets too many requests: try again in 20 seconds"),
        (503, "is busy or in maintenance: try again in 20 seconds"),
        (507, "is full: remove files there, or get more room"),
        (500, "the server replied with status 500 for “/a b”"),
    ])
    func `each status has a sentence`(status: Int, sentence: String) async throws {
        try await server.order(.put, status: status, headers: ["Retry-After": "20"])
        let error = await failure { _ = try await server.client.put(.text("a"), to: server.address("/a%20b")) }
        #expect(error?.description.hasSuffix(sentence) == true, "\(String(describing: error))")
    }

    @Test func `a directory that exists cannot be made`() async throws {
        try await server.order(.mkcol, status: 405)
        #expect(await failure { try await server.client.makeDirectory(server.address("/a")) } == .exists("/a"))
    }

    @Test func `the owner of a lock is named`() async throws {
        let owner = "<owner><href>mailto:ada@example.org</href></owner>"
        try await server.orderListing(
            "/a", [("/a", "<lockdiscovery><activelock>\(owner)</activelock></lockdiscovery>")])
        try await server.order(.delete, status: 423)
        let error = await failure { try await server.client.delete(server.address("/a")) }
        #expect(error == .locked("/a", owner: "mailto:ada@example.org"))
        #expect(error?.description == "“/a” is locked by mailto:ada@example.org")
    }

    @Test func `the locked one of two paths is named`() async throws {
        try await server.orderListing(
            "/b", [("/b", "<lockdiscovery><activelock><owner>Ada</owner></activelock></lockdiscovery>")])
        try await server.order(.move, status: 423)
        let error = await failure {
            try await server.client.move(server.address("/a"), to: server.address("/b"), if: DAVRequirements())
        }
        #expect(error == .locked("/b", owner: "Ada"))
    }

    /// Nextcloud unlocks the folder of a file after the reply to the request that has written the file.
    @Test func `a request is repeated after a lock that no client has`() async throws {
        try await server.order(.delete, status: 204)
        try await server.order(.delete, status: 423, times: 2)
        try await server.client.delete(server.address("/a"))
        #expect(try await server.requests().count { $0.method == "DELETE" } == 3)
    }

    @Test func `the server's own reason is told`() async throws {
        let body =
            "<d:error xmlns:d=\"DAV:\" xmlns:s=\"http://sabredav.org/ns\"><s:message>Read\nonly</s:message></d:error>"
        try await server.order(.delete, status: 403, body: body)
        let error = await failure { try await server.client.delete(server.address("/a")) }
        #expect(error == .forbidden("/a", reason: "Read only"))
    }

    @Test func `an operation that failed in parts is an error`() async throws {
        let failed = "<response><href>/a/b%20c</href><status>HTTP/1.1 403 Forbidden</status></response>"
        let dependent = "<response><href>/a</href><status>HTTP/1.1 424 Failed Dependency</status></response>"
        try await server.order(.delete, body: multistatus(dependent + failed))
        let error = await failure { try await server.client.delete(server.address("/a/")) }
        #expect(error == .partial("/a/b c", status: 403, count: 1))
    }

    @Test(arguments: [
        "<!DOCTYPE html><html><form><input type=\"password\"></form></html>",
        "<html><body>Please <a href=\"/login\">log in</a></body></html>",
    ])
    func `a page to sign in is not a listing`(page: String) async throws {
        try await server.order(status: 200, headers: ["Content-Type": "text/html"], body: page)
        #expect(await failure { _ = try await server.client.list(server.root).all() } == .signInPage(origin))
        #expect(await failure { _ = try await server.client.examine(server.root) } == .signInPage(origin))
    }

    @Test func `a redirect to a page to sign in is followed and recognized`() async throws {
        try await server.order(.propfind, "/dav", status: 302, headers: ["Location": "/login"])
        let page = "<html><title>Welcome</title></html>"
        try await server.order(.propfind, "/login", status: 200, headers: ["Content-Type": "text/html"], body: page)
        #expect(await failure { _ = try await server.client.examine(server.address("/dav/")) } == .signInPage(origin))
    }

    @Test func `the addresses of another server get no credentials`() async throws {
        let other = try await OrderedServer()
        try await other.orderListing("/dav", [("/dav/", directoryProperties), ("/dav/a", "<resourcetype/>")])
        try await server.order(.propfind, "/dav", status: 302, headers: ["Location": "\(other.address("/dav/"))"])
        let root = try server.address("/dav/")
        #expect(try await server.client.list(root).address.origin == other.root.origin)
        let client = DAVClient(server.client.http, credentials: .basic(user: "ada", password: "secret"))
        let refusal = DAVError.transport(
            .redirect(origin, "the password is not sent on: use the address \(other.root.origin)"))
        #expect(await failure { _ = try await client.list(root) } == refusal)
        #expect(await failure { _ = try await client.entry(at: root) } == refusal)
        #expect(await failure { _ = try await client.examine(root) } == refusal)
        #expect(try await other.requests().allSatisfy { $0.headers["authorization"] == nil })
    }

    @Test func `a page to sign in at another server is recognized`() async throws {
        let other = try await OrderedServer()
        try await other.order(status: 200, headers: ["Content-Type": "text/html"], body: "<html></html>")
        let target = "http://localhost:\(other.root.origin.port)/"
        try await server.order(.propfind, status: 302, headers: ["Location": target])
        let client = DAVClient(server.client.http, credentials: .basic(user: "ada", password: "secret"))
        #expect(await failure { _ = try await client.list(server.root) } == .signInPage(origin))
    }

    /// libcurl 7.88 loses a reply that comes while it sends the body.
    @Test(arguments: [
        HTTPCredentials.basic(user: "alice", password: "secret"),
        .passwordAsRequested(user: "alice", password: "secret"),
    ])
    func `a refusal over HTTP/2 that comes before the whole body is the reply`(
        credentials: HTTPCredentials
    ) async throws {
        try await CloudServer.with("apache-tls") { server in
            let error = await failure { _ = try await server.client.entry(at: server.root) }
            guard case .untrustedCertificate(let origin, let certificate) = error else {
                throw UnexpectedError(error: error)
            }
            var configuration = HTTPConfiguration.direct
            configuration.trust.accepted = [origin: try #require(certificate.fingerprint)]
            let client = DAVClient(try HTTPClient(configuration), credentials: credentials)
            let missing = try server.root.appending("missing")
            for count in [1, 1_000, 100_000, 3_000_000] {
                let body = HTTPBody.bytes([UInt8](repeating: 1, count: count))
                for _ in 0..<20 {
                    let error = await failure {
                        _ = try await client.put(body, to: missing, if: DAVRequirements(resource: .present))
                    }
                    #expect(error == .requirementFailed("/missing"), "\(count) bytes")
                }
                let new = try server.root.appending("file-\(count)")
                _ = try await client.put(body, to: new, if: DAVRequirements(resource: .absent))
                #expect(try await client.entry(at: new).length == count)
            }
        }
    }

    @Test(arguments: [405, 501])
    func `a server without WebDAV is recognized`(status: Int) async throws {
        try await server.order(.propfind, status: status)
        #expect(await failure { _ = try await server.client.examine(server.root) } == .noWebDAV(origin))
    }

    @Test func `a web page without a form is a server without WebDAV`() async throws {
        try await server.order(status: 200, body: "<!doctype html><html>Welcome!</html>")
        let error = await failure { _ = try await server.client.examine(server.root) }
        #expect(error == .noWebDAV(origin))
        #expect(error?.description == "\(origin) has no WebDAV at this address: look for it in the server's settings")
    }

    @Test func `a path that does not exist and a file are recognized`() async throws {
        #expect(await failure { _ = try await server.client.examine(server.address("/x/")) } == .notFound("/x"))
        try await server.orderListing("/", [("/", "<resourcetype/>")])
        #expect(await failure { _ = try await server.client.examine(server.root) } == .notDirectory("/"))
    }

    @Test(arguments: [-4_000, 4_000] as [Int64])
    func `clocks that differ are an error before anything is added`(offset: Int64) async throws {
        try await server.orderListing("/", [("/", directoryProperties)])
        let date = HTTPDate(seconds: 1_800_000_000)
        try await server.order(.options, status: 200, headers: ["Date": date.description])
        var client = server.client
        client.now = { HTTPDate(seconds: date.seconds - offset) }
        let error = await failure { _ = try await client.examine(server.root) }
        #expect(error == .clockSkew(origin, seconds: offset))
        let side = offset < 0 ? "behind" : "ahead"
        #expect(error?.description.hasPrefix("the clock of \(origin) is 4000 seconds \(side): ") == true)
        client.now = { HTTPDate(seconds: date.seconds - 200) }
        #expect(try await client.examine(server.root).features.clockOffset == 200)
    }

    @Test func `a certificate that is not trusted is shown with its fingerprint`() async throws {
        let secure = try await CloudServer("nextcloud", options: ["--tls"])
        let error = await failure { _ = try await secure.client.examine(secure.root) }
        guard case .untrustedCertificate(_, let certificate) = error else { throw UnexpectedError(error: error) }
        let fingerprint = try #require(certificate.fingerprint)
        #expect(error?.description.contains("\(fingerprint)") == true)
        #expect(error?.mayHaveSucceeded == false)
    }

    @Test func `a lost reply to a change leaves its result open`() async throws {
        let cloud = try await CloudServer("nextcloud")
        let proxy = try await FaultProxy(before: cloud.root)
        try await proxy.command(#"{"cut": {"after": 40, "direction": "down"}}"#, number: 1)
        let address = try proxy.root.appending("lost.txt")
        var client = cloud.client
        client.credentials = .basic(user: "alice", password: "secret")
        let error = await failure { _ = try await client.put(.text("abc"), to: address) }
        guard case .transport = error else { throw UnexpectedError(error: error) }
        #expect(error?.mayHaveSucceeded == true)
        #expect(try await client.entry(at: address).length == 3)
    }

    @Test func `a listing through a connection that breaks is an error`() async throws {
        let cloud = try await CloudServer("nextcloud")
        let proxy = try await FaultProxy(before: cloud.root)
        var client = cloud.client
        client.credentials = .basic(user: "alice", password: "secret")
        for number in 0..<20 { _ = try await client.put(.none, to: cloud.root.appending("file-\(number).txt")) }
        try await proxy.command(#"{"cut": {"after": 2000, "direction": "down"}}"#, number: 1)
        let error = await failure { _ = try await client.list(proxy.root).all() }
        guard case .transport = error else { throw UnexpectedError(error: error) }
        #expect(try await client.list(proxy.root).all().count >= 20)
    }

    @Test func `an address that is encoded twice where nothing exists is the requested one`() async throws {
        let server = try await OrderedServer()
        func missing(_ href: String) -> String {
            multistatus("<response><href>\(href)</href><status>HTTP/1.1 404 Not Found</status></response>")
        }
        let file = try server.root.appending("a \u{FC}%.txt")
        try await server.order(.propfind, body: missing("/a%2520%25C3%25BC%2525.txt"), times: 1)
        let error = await failure { _ = try await server.client.entry(at: file) }
        guard case .notFound = error else { throw UnexpectedError(error: error) }
        try await server.order(.propfind, body: missing("/b%2520%25C3%25BC%2525.txt"))
        let other = await failure { _ = try await server.client.entry(at: file) }
        guard case .invalidReply = other else { throw UnexpectedError(error: other) }
    }
}
