import FileTesting
import HTTPTransport
import LinuxSystem
import Testing

struct ExchangeTests {
    @Test func `a response has status, headers and body`() async throws {
        let server = try await TestServer()
        let response = try await HTTPClient(.direct).send(server.request(.get, "/file/100000"))
        #expect(response.status == 200)
        #expect(response.headers["etag"] == #""v1""#)
        #expect(response.body == TestServer.pattern(100_000))
        #expect(response.date == HTTPDate(seconds: 784_111_777))
        #expect(response.totalCount == 100_000)
        #expect(response.version == .http1)
    }

    @Test func `requests share a connection`() async throws {
        let server = try await TestServer()
        let client = try HTTPClient(.direct)
        for _ in 0..<5 { _ = try await client.send(server.request(.get, "/file/10")) }
        #expect(Set(try await server.log("/file").map(\.connection)).count == 1)
    }

    @Test func `a reply to HEAD has no body`() async throws {
        let server = try await TestServer()
        let response = try await HTTPClient(.direct).send(server.request(.head, "/file/100"))
        #expect(response.body.isEmpty)
        #expect(response.totalCount == 100)
    }

    @Test func `a part of a file is sent`() async throws {
        let server = try await TestServer()
        let folder = try TestFolder()
        let file = try folder.file("file", TestServer.pattern(3_000_000))
        var request = try server.request(.put, "/put/x")
        request.body = .file(file, offset: 1_000, count: 2_500_000)
        let reported = Lock(0)
        request.onProgress = { sent, _ in reported.withLock { $0 = sent } }
        let response = try await HTTPClient(.direct).send(request)
        #expect(response.status == 201)
        #expect(response.body == Array(TestServer.pattern(1_010)[1_000...]))
        #expect(try await server.log("/put").first?.count == 2_500_000)
        #expect(reported.withLock { $0 } == 2_500_000)
    }

    @Test func `a request carries its method, headers and body`() async throws {
        let server = try await TestServer()
        var request = try server.request(.propfind, "/status/207")
        request.headers = ["Depth": "1", "X-Empty": "", "Content-Length": "7"]
        request.body = .text("<propfind/>")
        let response = try await HTTPClient(.direct).send(request)
        #expect(response.status == 207)
        let record = try #require(try await server.log("/status").first)
        #expect(record.method == "PROPFIND")
        #expect(record.headers["depth"] == "1")
        #expect(record.headers["x-empty"] == "")
        #expect(record.count == 11)
    }

    @Test func `a body is never sent as a part of a file`() async throws {
        let server = try await TestServer()
        let client = try HTTPClient(.direct)
        var request = try server.request(.put, "/put/x")
        request.body = .text("0123456789")
        request.range = HTTPByteRange(0..<10)
        #expect(await failure { _ = try await client.send(request) } == .invalidHeader("Range"))
        request.range = nil
        request.headers["Content-Range"] = "bytes 0-9/20"
        #expect(try await client.send(request).status == 201)
        #expect(try await server.log("/put").map { $0.headers["content-range"] } == [nil])
    }

    @Test(arguments: [0, 1, 1_048_575, 1_048_576])
    func `a server is asked beforehand only about a large body`(count: Int) async throws {
        let server = try await TestServer()
        var request = try server.request(.put, "/put/x")
        request.body = .bytes([UInt8](repeating: 7, count: count))
        #expect(try await HTTPClient(.direct).send(request).status == 201)
        let record = try #require(try await server.log("/put").first)
        #expect(record.count == count)
        #expect(record.headers["expect"] == (count < 1 << 20 ? nil : "100-continue"))
    }

    @Test func `an upload without bytes has a length`() async throws {
        let server = try await TestServer()
        _ = try await HTTPClient(.direct).send(server.request(.put, "/put/empty"))
        #expect(try await server.log("/put").first?.headers["content-length"] == "0")
    }

    @Test(arguments: ["line\nfeed", "carriage\rreturn", "nul\0"])
    func `a header that would begin another one is refused`(value: String) async throws {
        let server = try await TestServer()
        let client = try HTTPClient(.direct)
        var request = try server.request(.get, "/file/1")
        request.headers["X-A"] = value
        #expect(await failure { _ = try await client.send(request) } == .invalidHeader("X-A"))
        request.headers = [:]
        request.credentials = .bearer(token: value)
        #expect(await failure { _ = try await client.send(request) } == .invalidHeader("Authorization"))
        request.method = HTTPMethod(rawValue: "GET " + value)
        #expect(await failure { _ = try await client.send(request) } != nil)
    }

    @Test func `a compressed body is expanded on request`() async throws {
        let server = try await TestServer()
        var request = try server.request(.get, "/gzip/50000")
        request.acceptsCompression = true
        let response = try await HTTPClient(.direct).send(request)
        #expect(response.body == TestServer.pattern(50_000))
        #expect(try await server.log("/gzip").first?.headers["accept-encoding"]?.contains("gzip") == true)
    }

    @Test func `cookies return only if the client keeps them`() async throws {
        let server = try await TestServer()
        var configuration = HTTPConfiguration.direct
        for keeps in [false, true] {
            configuration.keepsCookies = keeps
            let client = try HTTPClient(configuration)
            _ = try await client.send(server.request(.get, "/cookie"))
            let response = try await client.send(server.request(.get, "/cookie"))
            #expect(response.body == (keeps ? Array("session=1".utf8) : []))
        }
    }

    @Test func `a stream delivers a long body to a slow reader`() async throws {
        let server = try await TestServer()
        let stream = try await HTTPClient(.direct).stream(server.request(.get, "/file/20000000"))
        #expect(stream.response.status == 200)
        // Most of the body waits at the server until then.
        try await Task.sleep(for: .milliseconds(300))
        var received: [UInt8] = []
        while let bytes = try await stream.next() { received += bytes }
        #expect(received == TestServer.pattern(20_000_000))
    }

    @Test func `a stream of a refused request is empty`() async throws {
        let server = try await TestServer()
        let stream = try await HTTPClient(.direct).stream(server.request(.get, "/missing"))
        #expect(stream.response.status == 404)
        #expect(!stream.response.body.isEmpty)
        #expect(try await stream.next() == nil)
    }

    @Test(arguments: [false, true])
    func `a limited number of requests run at one server`(isSecure: Bool) async throws {
        let certificate = isSecure ? try await TestCertificate() : nil
        let server = try await TestServer(certificate)
        var configuration = HTTPConfiguration.direct
        configuration.trust.authorities = try certificate?.bytes
        configuration.connectionsPerHost = 3
        let client = try HTTPClient(configuration)
        try await withThrowingTaskGroup { group in
            for number in 0..<20 {
                group.addTask { try await client.send(server.request(.get, "/concurrent/\(number)")).requireSuccess() }
            }
            try await group.waitForAll()
        }
        let most = try await client.send(server.request(.get, "/most")).body
        #expect(Int(String(decoding: most, as: UTF8.self)) == 3)
    }

    @Test func `a limit holds until it is lifted`() async throws {
        let server = try await TestServer()
        var configuration = HTTPConfiguration.direct
        // The whole would take half an hour.
        configuration.downloadLimit = 10_000
        let client = try HTTPClient(configuration)
        let received = Lock(0)
        var request = try server.request(.get, "/file/20000000?limited")
        request.onProgress = { _, count in received.withLock { $0 = count } }
        let limited = request
        async let slow = client.send(limited, to: .nowhere)
        try await server.waitForRequest("limited")
        let fast = try await HTTPClient(.direct).send(server.request(.get, "/file/20000000"), to: .nowhere)
        #expect(fast.deliveredCount == 20_000_000)
        #expect(received.withLock { $0 } < 1_000_000)
        client.setLimits(download: nil, upload: nil)
        #expect(try await slow.deliveredCount == 20_000_000)
    }

    @Test func `a limited transfer is complete`() async throws {
        let server = try await TestServer()
        let client = try HTTPClient(.direct)
        client.setLimits(download: 2_000_000, upload: 2_000_000)
        var request = try server.request(.put, "/put/limited")
        request.body = .bytes(TestServer.pattern(300_000))
        async let sent = client.send(request)
        let received = try await client.send(server.request(.get, "/file/300000"))
        #expect(received.body == TestServer.pattern(300_000))
        #expect(try await sent.status == 201)
        #expect(try await server.log("/put").first?.count == 300_000)
    }

    @Test func `a proxy gets the whole address`() async throws {
        let server = try await TestServer()
        var configuration = HTTPConfiguration.direct
        configuration.proxies.unencrypted = server.origin
        let client = try HTTPClient(configuration)
        let response = try await client.send(HTTPRequest(.get, try HTTPAddress("http://cloud.invalid/x")))
        #expect(String(decoding: response.body, as: UTF8.self) == "by the proxy: http://cloud.invalid/x")
        configuration.proxies.exceptions = "127.0.0.1"
        let direct = try await HTTPClient(configuration).send(server.request(.get, "/file/10"))
        #expect(direct.body.count == 10)
        configuration.proxies.exceptions = nil
        configuration.proxies.unencrypted = "http://127.0.0.1:1"
        let error = await failure {
            _ = try await HTTPClient(configuration).send(HTTPRequest(.get, HTTPAddress("http://cloud.invalid/")))
        }
        guard case .proxy = error else { throw Unexpected(error: error) }
    }
}

extension ExchangeTests {
    @Test func `a proxy connects to an encrypted server and sees no request`() async throws {
        let certificate = try await TestCertificate()
        let (server, proxy) = (try await TestServer(certificate), try await TestServer())
        var configuration = HTTPConfiguration.direct
        configuration.proxies.encrypted = proxy.origin
        configuration.trust.authorities = try certificate.bytes
        let client = try HTTPClient(configuration)
        let request = try server.request(.get, "/bearer", credentials: .bearer(token: "token"))
        let response = try await client.send(request)
        #expect(response.status == 200)
        #expect(response.headers["X-Proxy"] == nil)
        let log = try await proxy.log("127.0.0.1")
        #expect(log.map(\.method).first == "CONNECT")
        #expect(log.allSatisfy { $0.headers["authorization"] == nil })
        let closed = try HTTPAddress("https://127.0.0.1:1/")
        let error = await failure { _ = try await client.send(HTTPRequest(.get, closed)) }
        #expect(error == .proxyRefused(closed.origin, status: 403))
    }
}

/// An error that is not the expected one.
struct Unexpected: Error {
    let error: HTTPError?
}
