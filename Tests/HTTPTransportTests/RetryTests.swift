import FileTesting
import HTTPTransport
import LinuxSystem
import Testing

struct RetryTests {
    @Test(arguments: [429, 503], [HTTPMethod.get, .put])
    func `a busy server is asked again when it says`(status: Int, method: HTTPMethod) async throws {
        let server = try await TestServer()
        let clock = RecordingClock()
        var request = try server.request(method, "/busy/x/2/\(status)?after=7")
        request.body = method == .put ? .text("contents") : .none
        let response = try await HTTPClient(.repeating(clock)).send(request)
        #expect(response.status == 200)
        #expect(clock.pauses.allSatisfy { $0 >= .seconds(7) && $0 < .seconds(10) })
        #expect(clock.pauses.count == 2)
        #expect(Set(try await server.log("/busy").map(\.digest)).count == 1)
    }

    @Test(arguments: [HTTPMethod.mkcol, .move, .copy, .lock, .post])
    func `a request that would find its own result is not repeated`(method: HTTPMethod) async throws {
        let server = try await TestServer()
        let client = try HTTPClient(.repeating(RecordingClock()))
        #expect(try await client.send(server.request(method, "/busy/x/1/503")).status == 503)
        #expect(try await client.send(server.request(method, "/busy/x/1/429")).status == 200)
    }

    @Test func `a date to return at is compared with the server's clock`() async throws {
        let server = try await TestServer()
        let clock = RecordingClock()
        let request = try server.request(.get, "/busy/x/1/503?after=Sun,%2006%20Nov%201994%2008:49:47%20GMT")
        let response = try await HTTPClient(.repeating(clock)).send(request)
        #expect(response.status == 200)
        #expect(clock.pauses.count == 1)
        #expect(clock.pauses.allSatisfy { $0 >= .seconds(10) && $0 < .seconds(12) })
    }

    @Test func `a server that is busy for long is left to the caller`() async throws {
        let server = try await TestServer()
        let clock = RecordingClock()
        let response = try await HTTPClient(.repeating(clock)).send(server.request(.get, "/busy/x/1/503?after=3600"))
        #expect(response.status == 503)
        #expect(response.retryAfter(now: HTTPDate(seconds: 0)) == .seconds(3_600))
        #expect(clock.pauses.isEmpty)
    }

    @Test func `pauses grow, and attempts end`() async throws {
        let server = try await TestServer()
        let clock = RecordingClock()
        let response = try await HTTPClient(.repeating(clock)).send(server.request(.get, "/busy/x/99/503"))
        #expect(response.status == 503)
        #expect(clock.pauses == [.milliseconds(500), .seconds(1), .seconds(2)])
    }

    @Test func `pauses of several clients differ`() async throws {
        let server = try await TestServer()
        let clock = RecordingClock()
        var configuration = HTTPConfiguration.repeating(clock, attempts: 2)
        configuration.chance = { 1 }
        _ = try await HTTPClient(configuration).send(server.request(.get, "/busy/x/99/503"))
        #expect(clock.pauses == [.milliseconds(250)])
    }

    @Test func `a request that changes something is not repeated after a lost connection`() async throws {
        let server = try await TestServer()
        let client = try HTTPClient(.repeating(RecordingClock()))
        var request = try server.request(.put, "/close/put")
        request.body = .text("contents")
        #expect(await failure { _ = try await client.send(request) } != nil)
        #expect(await failure { _ = try await client.send(server.request(.get, "/close/get")) } != nil)
        #expect(try await server.log("/close/put").count == 1)
        #expect(try await server.log("/close/get").count == 4)
    }

    /// libcurl itself repeats requests on connections that were used before.
    @Test func `a request that changes something is not sent again on a new connection`() async throws {
        let server = try await TestServer()
        let client = try HTTPClient(.direct)
        for (method, count) in [(HTTPMethod.get, 2), (.delete, 1), (.put, 1), (.move, 1)] {
            #expect(try await client.send(server.request(.get, "/file/1")).isSuccess)
            let error = await failure { _ = try await client.send(server.request(method, "/close/\(method)")) }
            guard case .connectionLost = error else { throw Unexpected(error: error) }
            #expect(try await server.log("/close/\(method)").count == count)
        }
    }

    @Test func `a request is repeated if no server has seen it`() async throws {
        let clock = RecordingClock()
        let address = try HTTPAddress("http://127.0.0.1:1/")
        let client = try HTTPClient(.repeating(clock))
        #expect(await failure { _ = try await client.send(HTTPRequest(.put, address)) } == .refused(address.origin))
        #expect(clock.pauses.count == 3)
    }

    @Test func `the pause between attempts can be cancelled`() async throws {
        let server = try await TestServer()
        var configuration = HTTPConfiguration.repeating(RecordingClock())
        configuration.clock = ContinuousClock()
        configuration.retry = HTTPRetryPolicy(firstPause: .seconds(3_600), longestPause: .seconds(3_600))
        let client = try HTTPClient(configuration)
        let request = Task { await failure { _ = try await client.send(server.request(.get, "/busy/x/9/503")) } }
        try await server.waitForRequest("/busy")
        request.cancel()
        #expect(await request.value == .cancelled)
    }

    @Test func `a file that broke off is continued`() async throws {
        let server = try await TestServer()
        let folder = try TestFolder()
        let file = try folder.file("file")
        let response = try await HTTPClient(.repeating(RecordingClock())).send(
            server.request(.get, "/half-once/same"), to: .file(file, offset: 0))
        #expect(response.deliveredCount == 300_000)
        #expect(try folder.content("file") == TestServer.pattern(300_000))
        let log = try await server.log("/half-once")
        #expect(log.count == 2)
        #expect(log.last?.headers["range"] == "bytes=100000-")
        #expect(log.last?.headers["if-range"] == #""v1""#)
    }

    @Test func `a file that broke off and changed is read from its beginning`() async throws {
        let server = try await TestServer()
        let folder = try TestFolder()
        let file = try folder.file("file")
        let response = try await HTTPClient(.repeating(RecordingClock())).send(
            server.request(.get, "/half-once/changed"), to: .file(file, offset: 0))
        #expect(response.headers["ETag"] == #""v2""#)
        #expect(try folder.content("file") == TestServer.pattern(300_000))
        #expect(try await server.log("/half-once").last?.headers["range"] == nil)
    }
}
