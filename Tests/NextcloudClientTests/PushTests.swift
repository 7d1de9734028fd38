import CloudTesting
import HTTPTransport
import NextcloudClient
import NextcloudTesting
import Testing
import WebDAVClient

struct PushTests {
    private let server: NextcloudTestServer
    private let client: NextcloudClient

    init() async throws {
        server = try await NextcloudTestServer()
        client = try server.client()
        try await server.order("set", ["push-quiet": 0.01, "push-pause": 0.01])
    }

    private var rules: NextcloudClient.PushRules {
        var rules = NextcloudClient.PushRules()
        rules.firstPause = .milliseconds(50)
        return rules
    }

    private func notices(_ client: NextcloudClient) async throws -> AsyncThrowingStream<NextcloudNotice, any Error> {
        client.notices(try #require(try await client.capabilities().push), rules: rules)
    }

    @Test(arguments: [false, true])
    func `a change is told with the numbers of its files`(isInTwoMessages: Bool) async throws {
        try await server.order("set", ["push-two-messages": isInTwoMessages])
        var notices = try await notices(client).makeAsyncIterator()
        #expect(try await notices.next() == .connected)
        // After the server has accepted the client, the client requests the numbers of files. Until the server has read
        // this request, it tells of changes without numbers.
        var notice: NextcloudNotice?
        repeat {
            try await server.write("a.txt", "one")
            notice = try await notices.next()
        } while notice == .anyFile
        let number = try #require(try await server.show("a.txt")["id"] as? Int)
        guard case .files(let numbers) = notice else { throw UnexpectedError(error: notice) }
        #expect(numbers.contains(Int64(number)))
    }

    @Test func `a change of which nothing is known is told`() async throws {
        try await server.order("user", ["user": "bob", "password": "b"])
        var notices = try await notices(client).makeAsyncIterator()
        #expect(try await notices.next() == .connected)
        try await Task.sleep(for: .milliseconds(200))
        let bob = NextcloudClient(
            server: server.address, user: "bob",
            files: DAVClient(try HTTPClient(.direct), credentials: .basic(user: "bob", password: "b")))
        try await server.order("write", ["user": "bob", "path": "b.txt", "text": "b"])
        _ = try await bob.share(bob.root.appending("b.txt"), with: "alice")
        while let notice = try await notices.next(), notice != .anyFile {}
    }

    @Test func `a lost connection is told and made again`() async throws {
        var notices = try await notices(client).makeAsyncIterator()
        #expect(try await notices.next() == .connected)
        try await server.order("close-push")
        guard case .disconnected = try await notices.next() else { throw UnexpectedError(error: nil) }
        #expect(try await notices.next() == .connected)
    }

    @Test func `a server without tokens gets the password`() async throws {
        try await server.order("fault", ["path": "pre_auth", "status": 404, "times": -1])
        var notices = try await notices(client).makeAsyncIterator()
        #expect(try await notices.next() == .connected)
    }

    @Test func `a wrong password ends the subscription`() async throws {
        let push = try #require(try await client.capabilities().push)
        let wrong = try server.client(password: "wrong")
        var notices = wrong.notices(push, rules: rules).makeAsyncIterator()
        await #expect(throws: DAVError.notSignedIn(server.address.origin)) { _ = try await notices.next() }
    }

    @Test(arguments: ["127.0.0.1", "localhost"])
    func `the password does not go to another server, nor to another port`(host: String) async throws {
        try await server.order("fault", ["path": "pre_auth", "status": 404, "times": -1])
        let other = try await NextcloudTestServer()
        let socket = other.address.description.replacing("127.0.0.1", with: host).replacing("http", with: "ws")
        try await server.order(
            "set",
            [
                "capabilities": [
                    "notify_push": ["type": ["files"], "endpoints": ["websocket": socket + "push/ws"]]
                        as [String: any Sendable]
                ]
            ])
        var notices = try await notices(client).makeAsyncIterator()
        guard case .disconnected(.invalidReply) = try await notices.next() else { throw UnexpectedError(error: nil) }
        #expect(try await other.requests("GET").isEmpty)
    }

    @Test func `a subscription ends with its task`() async throws {
        let stream = try await notices(client)
        let task = Task {
            do {
                for try await _ in stream {}
                return true
            } catch {
                return true
            }
        }
        task.cancel()
        #expect(await task.value)
    }
}
