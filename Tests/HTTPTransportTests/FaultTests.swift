import FileTesting
import Glibc
import HTTPTransport
import LinuxSystem
import Testing

struct FaultTests {
    @Test func `an error page does not become a file's contents`() async throws {
        let server = try await TestServer()
        let folder = try TestFolder()
        let file = try folder.file("file", [1, 2, 3])
        let response = try await HTTPClient(.direct).send(
            server.request(.get, "/missing"), to: .file(file, offset: 0))
        #expect(response.status == 404)
        #expect(String(decoding: response.body, as: UTF8.self).contains("no such page"))
        #expect(try folder.content("file") == [1, 2, 3])
        #expect(throws: HTTPError.status(404, response.address.origin)) { try response.requireSuccess() }
    }

    @Test func `a response that ends too early is an error`() async throws {
        let server = try await TestServer()
        let error = await failure { _ = try await HTTPClient(.direct).send(server.request(.get, "/half")) }
        let origin = try server.address("/").origin
        #expect(error == .truncated(origin, received: 500, announced: 1_000))
        #expect(error?.description == "\(origin) ended its reply after 500 of 1000 bytes")
    }

    @Test func `a stream that ends too early ends with an error`() async throws {
        let server = try await TestServer()
        let stream = try await HTTPClient(.direct).stream(server.request(.get, "/half"))
        let error = await failure { while try await stream.next() != nil {} }
        guard case .truncated = error else { throw Unexpected(error: error) }
    }

    @Test(arguments: ["/close", "/garbage"])
    func `a reply that is not HTTP is an error`(path: String) async throws {
        let server = try await TestServer()
        let error = await failure { _ = try await HTTPClient(.direct).send(server.request(.get, path)) }
        switch error {
        case .connectionLost, .invalidReply: break
        default: throw Unexpected(error: error)
        }
    }

    /// `Scripts/run-tests` sets the variable.
    @Test func `the environment sets the time limit`() throws {
        let limit = getenv("PURVEY_HTTP_TIME_LIMIT").map { String(cString: $0) } ?? "60"
        #expect(HTTPConfiguration().patience == .seconds(try #require(UInt16(limit))))
    }

    @Test(arguments: ["/silent", "/slow-head", "/drip"])
    func `a server that makes no progress is given up`(path: String) async throws {
        let server = try await TestServer()
        let client = try HTTPClient(.direct.with(patience: .seconds(1)))
        let error = await failure { _ = try await client.send(server.request(.get, path)) }
        #expect(error == .noProgress(try server.address("/").origin, .seconds(1)))
    }

    @Test(arguments: ["/endless-headers", "/endless-interim"])
    func `endless headers are an error`(path: String) async throws {
        let server = try await TestServer()
        let error = await failure { _ = try await HTTPClient(.direct).send(server.request(.get, path)) }
        guard case .headTooLong = error else { throw Unexpected(error: error) }
    }

    @Test func `an endless body in memory is an error`() async throws {
        let server = try await TestServer()
        let client = try HTTPClient(.direct)
        let origin = try server.address("/").origin
        let error = await failure {
            _ = try await client.send(server.request(.get, "/endless/200"), to: .memory(limit: 1 << 20))
        }
        #expect(error == .bodyTooLong(origin, limit: 1 << 20))
        let response = try await client.send(server.request(.get, "/endless/500"), to: .nowhere)
        #expect(response.status == 500)
        #expect(response.body.count == 64 << 10)
    }

    @Test func `a refusal before the end of an upload is a response`() async throws {
        let server = try await TestServer()
        var request = try server.request(.put, "/early")
        request.body = .bytes(TestServer.pattern(8 << 20))
        #expect(try await HTTPClient(.direct).send(request).status == 507)
    }

    @Test func `a file that is shorter than the request says is an error`() async throws {
        let server = try await TestServer()
        let file = try TestFolder().file("file", [1, 2, 3])
        var request = try server.request(.put, "/put/short")
        request.body = .file(file, offset: 0, count: 10)
        #expect(await failure { _ = try await HTTPClient(.direct).send(request) } == .fileTooShort)
    }

    @Test func `a file that cannot be written is an error`() async throws {
        let server = try await TestServer()
        let folder = try TestFolder()
        try folder.file("file")
        let file = try FileDescriptor.open(folder.path + "/file", .readOnly)
        let error = await failure {
            _ = try await HTTPClient(.direct).send(server.request(.get, "/file/10"), to: .file(file, offset: 0))
        }
        guard case .file = error else { throw Unexpected(error: error) }
    }

    @Test func `a server that does not run or exist is named`() async throws {
        let client = try HTTPClient(.direct)
        let closed = try HTTPAddress("http://127.0.0.1:1/")
        #expect(await failure { _ = try await client.send(HTTPRequest(.get, closed)) } == .refused(closed.origin))
        let unknown = try HTTPAddress("http://cloud.invalid/")
        #expect(await failure { _ = try await client.send(HTTPRequest(.get, unknown)) } == .unknownHost(unknown.origin))
    }

    @Test func `a server that does not encrypt the connection in time is given up`() async throws {
        let listener = try ListeningSocket()
        var configuration = HTTPConfiguration.direct
        configuration.connectPatience = .seconds(1)
        let client = try HTTPClient(configuration)
        let address = try HTTPAddress("https://127.0.0.1:\(listener.port)/")
        let error = await failure { _ = try await client.send(HTTPRequest(.get, address)) }
        #expect(error == .unreachable(address.origin, "no connection within 1 seconds"))
    }

    @Test func `a reply of noise is a response or an error`() async throws {
        let server = try await TestServer()
        let client = try HTTPClient(.direct.with(patience: .seconds(20)))
        try await withThrowingTaskGroup { group in
            for seed in 0..<TestSample.count(300, of: 3_000) {
                group.addTask {
                    let folder = try TestFolder()
                    let file = try folder.file("file")
                    var request = try server.request(.get, "/noise/\(seed * 100)")
                    if seed % 2 == 0 { request.range = HTTPByteRange(2..<5) }
                    request.acceptsCompression = true
                    guard let response = try? await client.send(request, to: .file(file, offset: 0)) else { return }
                    let count = try folder.content("file").count
                    #expect(response.isSuccess ? count == response.deliveredCount : count == 0)
                    if request.range != nil { #expect(count <= 3) }
                }
            }
            try await group.waitForAll()
        }
    }

    // MARK: Cancellation

    @Test func `a cancelled request ends at once`() async throws {
        let server = try await TestServer()
        let client = try HTTPClient(.direct.with(patience: .seconds(3_600)))
        let request = Task { await failure { _ = try await client.send(server.request(.get, "/silent")) } }
        try await server.waitForRequest("/silent")
        request.cancel()
        #expect(await request.value == .cancelled)
    }

    @Test func `a request of a cancelled task is not sent`() async throws {
        let server = try await TestServer()
        let client = try HTTPClient(.direct)
        let request = Task {
            while !Task.isCancelled { await Task.yield() }
            return await failure { _ = try await client.send(server.request(.get, "/file/1")) }
        }
        request.cancel()
        #expect(await request.value == .cancelled)
        #expect(try await server.log("/file").isEmpty)
    }

    @Test func `a waiting request can be cancelled`() async throws {
        let server = try await TestServer()
        var configuration = HTTPConfiguration.direct
        configuration.connectionsPerHost = 1
        let client = try HTTPClient(configuration)
        let first = Task { await failure { _ = try await client.send(server.request(.get, "/silent")) } }
        try await server.waitForRequest("/silent")
        let second = Task { await failure { _ = try await client.send(server.request(.get, "/file/1")) } }
        second.cancel()
        #expect(await second.value == .cancelled)
        first.cancel()
        #expect(await first.value == .cancelled)
        #expect(try await server.log("/file").isEmpty)
        #expect(try await client.send(server.request(.get, "/file/1")).isSuccess)
    }

    @Test func `a reader of a stream can be cancelled`() async throws {
        let server = try await TestServer()
        let client = try HTTPClient(.direct)
        let stream = try await client.stream(server.request(.get, "/drip"))
        let reader = Task { await failure { while try await stream.next() != nil {} } }
        reader.cancel()
        #expect(await reader.value == .cancelled)
    }

    @Test func `a closed client ends its requests`() async throws {
        let server = try await TestServer()
        let client = try HTTPClient(.direct)
        let request = Task { await failure { _ = try await client.send(server.request(.get, "/silent")) } }
        try await server.waitForRequest("/silent")
        client.close()
        #expect(await request.value == .closed)
        #expect(await failure { _ = try await client.send(server.request(.get, "/file/1")) } == .closed)
    }
}
