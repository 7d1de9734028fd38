import CloudTesting
import HTTPTransport
import NextcloudClient
import NextcloudTesting
import Testing
import WebDAVClient

struct LoginTests {
    private let server: NextcloudTestServer
    private let http: HTTPClient

    init() async throws {
        server = try await NextcloudTestServer()
        http = try HTTPClient(.direct)
    }

    /// Grants a sign-in as the user in a browser does.
    private func grant(_ login: NextcloudLogin) async throws {
        let token = try #require(login.link.path.split(separator: "/").last)
        let response = try await server.browse(
            .post, "index.php/login/v2/grant", form: "token=\(token)&user=alice&password=secret")
        #expect(response.status == 200)
    }

    @Test func `a user who signs in by the browser gets an app password`() async throws {
        let found = try await NextcloudServer.find(server.address.description, http)
        #expect(found.address == server.address)
        #expect(found.product == "Nextcloud")
        #expect(!found.isInMaintenance)
        let login = try await NextcloudLogin.begin(at: found.address, http, name: "Purvey on desk")
        let page = try await server.browse(.get, login.link.path)
        #expect(String(decoding: page.body, as: UTF8.self).contains("Purvey on desk"))
        #expect(try await login.poll() == nil)
        let wait = Task { try await login.wait() }
        try await grant(login)
        let account = try await wait.value
        #expect(account.loginName == "alice")
        #expect(account.server == server.address)
        #expect(!"\(account)".contains(account.appPassword))

        let client = try await NextcloudClient(http, account)
        #expect(client.user == "alice")
        _ = try await client.files.list(client.root).all()
        try await client.revokeAppPassword()
        #expect(await failure { _ = try await client.currentUser() } == .notSignedIn(server.address.origin))
    }

    @Test func `a cancelled wait ends at once`() async throws {
        let login = try await NextcloudLogin.begin(at: server.address, http)
        let wait = Task { () async -> NextcloudLogin.LoginError? in
            do throws(NextcloudLogin.LoginError) {
                _ = try await login.wait()
                return nil
            } catch {
                return error
            }
        }
        wait.cancel()
        #expect(await wait.value == .server(.transport(.cancelled)))
    }

    @Test func `a wait survives a server that is away`() async throws {
        let login = try await NextcloudLogin.begin(at: server.address, http)
        try await server.order("fault", ["path": "poll", "drop": "before"])
        #expect(try await login.poll() == nil)
        try await server.order("fault", ["path": "poll", "status": 503])
        #expect(try await login.poll() == nil)
        try await grant(login)
        #expect(try await login.wait().loginName == "alice")
    }

    @Test func `a sign-in that leads to another server is refused`() async throws {
        let body =
            #"{"poll": {"token": "x", "endpoint": "https://evil.example/poll"}, "login": "\#(server.address)login"}"#
        try await server.order(
            "fault", ["path": "login/v2", "status": 200, "body": body, "headers": ["Content-Type": "application/json"]])
        await #expect(throws: NextcloudLogin.LoginError.otherServer("evil.example")) {
            _ = try await NextcloudLogin.begin(at: server.address, http)
        }
    }

    @Test func `a server that writes its address without encryption is used as it was reached`() async throws {
        let address = "http://127.0.0.1:9/nextcloud/login"
        let body = #"{"poll": {"token": "x", "endpoint": "\#(address)/poll"}, "login": "\#(address)/flow/7"}"#
        try await server.order(
            "fault", ["path": "login/v2", "status": 200, "body": body, "headers": ["Content-Type": "application/json"]])
        let login = try await NextcloudLogin.begin(at: server.address, http)
        #expect(login.link.description == "\(server.address)nextcloud/login/flow/7")
    }

    @Test(arguments: [
        "", "index.php/apps/files/?dir=/", "remote.php/dav/files/alice", "apps/files", "login?clear=1", "status.php",
    ])
    func `the server is found from each of its pages`(page: String) async throws {
        let found = try await NextcloudServer.find(" \(server.address)\(page) ", http)
        #expect(found.address == server.address)
    }

    @Test func `a server in maintenance says so`() async throws {
        try await server.order("set", ["maintenance": true])
        #expect(try await NextcloudServer.find(server.address.description, http).isInMaintenance)
        let error = await failure { _ = try await server.client().capabilities() }
        guard case .unavailable = error else { throw UnexpectedError(error: error) }
    }

    @Test func `another server is not taken for a Nextcloud`() async throws {
        let origin = server.address.origin
        try await server.order("fault", ["path": "status", "status": 404, "times": 1])
        #expect(
            await failure { _ = try await NextcloudServer.find(server.address.description, http) } == .noWebDAV(origin))
        try await server.order("fault", ["path": "status", "html": true])
        #expect(
            await failure { _ = try await NextcloudServer.find(server.address.description, http) }
                == .signInPage(origin))
        let closed = try HTTPAddress("http://127.0.0.1:1")
        #expect(
            await failure { _ = try await NextcloudServer.find(closed.description, http) }
                == .transport(.refused(closed.origin)))
    }
}
