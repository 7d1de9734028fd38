import FileTesting
import HTTPTransport
import LinuxSystem
import Testing

struct CredentialTests {
    @Test func `a password in every request needs one exchange`() async throws {
        let server = try await TestServer()
        let client = try HTTPClient(.direct)
        let request = try server.request(.get, "/basic", credentials: .basic(user: "ada", password: "päss"))
        #expect(try await client.send(request).status == 200)
        #expect(try await server.log("/basic").count == 1)
        let wrong = try server.request(.get, "/basic/wrong", credentials: .basic(user: "ada", password: "x"))
        #expect(try await client.send(wrong).status == 401)
        #expect(try await server.log("/basic/wrong").count == 1)
    }

    @Test func `a token is sent`() async throws {
        let server = try await TestServer()
        let client = try HTTPClient(.direct)
        #expect(
            try await client.send(server.request(.get, "/bearer", credentials: .bearer(token: "token"))).status == 200)
        #expect(try await client.send(server.request(.get, "/bearer")).status == 401)
    }

    @Test func `a password is proved without being sent`() async throws {
        let server = try await TestServer()
        let client = try HTTPClient(.direct)
        let file = try TestFolder().file("file", TestServer.pattern(2_000_000))
        let credentials: [HTTPCredentials] = [
            .digest(user: "ada", password: "secret"), .passwordAsRequested(user: "ada", password: "secret"),
        ]
        for (number, credentials) in credentials.enumerated() {
            var request = try server.request(.put, "/digest?password=secret&n=\(number)", credentials: credentials)
            request.body = .file(file, offset: 0, count: 2_000_000)
            #expect(try await client.send(request).status == 200)
            #expect(try await server.log("n=\(number)").last?.count == 2_000_000)
        }
        let wrong = try server.request(.get, "/digest?password=other", credentials: credentials[0])
        #expect(try await client.send(wrong).status == 401)
    }

    // MARK: Redirects

    @Test(arguments: [301, 302, 307, 308])
    func `a redirect within the server keeps the credentials`(status: Int) async throws {
        let server = try await TestServer()
        let request = try server.request(
            .propfind, "/redirect/\(status)?to=/basic", credentials: .basic(user: "ada", password: "päss"))
        let response = try await HTTPClient(.direct).send(request)
        #expect(response.status == 200)
        #expect(response.address == (try server.address("/basic")))
        #expect(try await server.log("/basic").last?.method == "PROPFIND")
    }

    @Test func `a redirect to another server carries no credentials`() async throws {
        let (server, other) = (try await TestServer(), try await TestServer())
        let back = try server.address("/basic/back").description.percentEncoded
        let all: [HTTPCredentials] = [
            .basic(user: "ada", password: "päss"), .bearer(token: "token"), .digest(user: "ada", password: "secret"),
            .passwordAsRequested(user: "ada", password: "secret"),
        ]
        for credentials in all {
            var request = try server.request(
                .get, "/redirect/302?to=\(other.address("/basic").description.percentEncoded)", credentials: credentials
            )
            request.headers = ["Authorization": "own", "Cookie": "a=b", "X-Kept": "1"]
            if credentials != .bearer(token: "token") { request.headers["Authorization"] = nil }
            #expect(try await HTTPClient(.direct).send(request).status == 401)
        }
        let log = try await other.log("/basic")
        #expect(log.count == all.count)
        for record in log {
            #expect(record.headers["authorization"] == nil)
            #expect(record.headers["cookie"] == nil)
            #expect(record.headers["x-kept"] == "1")
        }
        // Nor do they return with a second redirect.
        let there = try other.address("/redirect/302?to=\(back)").description.percentEncoded
        let request = try server.request(.get, "/redirect/302?to=\(there)", credentials: all[0])
        #expect(try await HTTPClient(.direct).send(request).status == 401)
        #expect(try await server.log("/basic/back").last?.headers["authorization"] == nil)
    }

    @Test func `a redirect to another server carries no kept cookies`() async throws {
        let (server, other) = (try await TestServer(), try await TestServer())
        var configuration = HTTPConfiguration.direct
        configuration.keepsCookies = true
        let client = try HTTPClient(configuration)
        _ = try await client.send(server.request(.get, "/cookie"))
        let target = try other.address("/cookie").description.percentEncoded
        let response = try await client.send(server.request(.get, "/redirect/302?to=\(target)"))
        #expect(response.status == 200)
        #expect(response.body.isEmpty)
        #expect(try await client.send(server.request(.get, "/cookie")).body == Array("session=1".utf8))
    }

    @Test func `an upload is not redirected to another server`() async throws {
        let (server, other) = (try await TestServer(), try await TestServer())
        var request = try server.request(.put, "/redirect/307?to=\(other.address("/put/x").description.percentEncoded)")
        request.body = .text("secret contents")
        let error = await failure { _ = try await HTTPClient(.direct).send(request) }
        guard case .redirect = error else { throw Unexpected(error: error) }
        #expect(try await other.log("/put").isEmpty)
        var near = try server.request(.put, "/redirect/308?to=/put/near")
        near.body = .text("contents")
        #expect(try await HTTPClient(.direct).send(near).status == 201)
    }

    @Test(arguments: [301, 302, 303])
    func `a redirect that may mean another method is a response`(status: Int) async throws {
        let server = try await TestServer()
        let request = try server.request(.delete, "/redirect/\(status)?to=/file/1")
        #expect(try await HTTPClient(.direct).send(request).status == status)
    }

    @Test func `a circle of redirects ends`() async throws {
        let server = try await TestServer()
        var request = try server.request(.get, "/redirect/302?to=/redirect/302?to%3D/file/1")
        #expect(try await HTTPClient(.direct).send(request).status == 200)
        request.redirectLimit = 1
        let error = await failure { _ = try await HTTPClient(.direct).send(request) }
        guard case .redirect = error else { throw Unexpected(error: error) }
        request.redirectLimit = 0
        #expect(try await HTTPClient(.direct).send(request).status == 302)
    }

    @Test(arguments: ["file:///etc/passwd", "https://ada:x@127.0.0.1/", "gopher://127.0.0.1/"])
    func `a redirect to what is no server is an error`(target: String) async throws {
        let server = try await TestServer()
        let request = try server.request(.get, "/redirect/302?to=\(target.percentEncoded)")
        let error = await failure { _ = try await HTTPClient(.direct).send(request) }
        guard case .redirect = error else { throw Unexpected(error: error) }
    }
}
