import HTTPTransport
import LinuxSystem
import Testing

struct WebSocketTests {
    /// The peer, which lives as long as a test.
    private let server: TestServer

    init() async throws { server = try await TestServer() }

    private func open(
        _ path: String, _ change: (inout WebSocketRequest) -> Void = { _ in }
    ) async throws -> WebSocket {
        var request = WebSocketRequest(try server.address("/socket/\(path)"))
        // On a busy machine, the server's process may stand still for long.
        request.patience = .seconds(600)
        change(&request)
        return try await HTTPClient(.direct).openWebSocket(request)
    }

    /// Opens a WebSocket that gives up its server after a short time. A busy machine may need longer for the handshake,
    /// which is repeated then.
    private func openImpatiently(_ path: String, silence: Duration = .seconds(60)) async throws -> WebSocket {
        while true {
            do {
                return try await open(path) {
                    $0.silence = silence
                    $0.patience = .milliseconds(300)
                }
            } catch HTTPError.noProgress {
                continue
            }
        }
    }

    @Test(arguments: [0, 1, 125, 126, 65_535, 65_536, 1 << 20])
    func `a message of any size comes back`(count: Int) async throws {
        let socket = try await open("echo")
        let bytes = TestServer.pattern(count)
        try await socket.send(bytes)
        #expect(try await socket.next() == .bytes(bytes))
        try await socket.send("é \(count)")
        #expect(try await socket.next() == .text("é \(count)"))
        await socket.close()
        #expect(try await socket.next() == nil)
        #expect(socket.closure?.code == 1_000)
    }

    @Test func `an encrypted connection to a trusted server carries messages`() async throws {
        let certificate = try await TestCertificate()
        let server = try await TestServer(certificate)
        let request = WebSocketRequest(try server.address("/socket/echo"))
        let error = await failure { _ = try await HTTPClient(.direct).openWebSocket(request) }
        guard case .untrustedCertificate = error else { throw Unexpected(error: error) }
        var configuration = HTTPConfiguration.direct
        configuration.trust.authorities = try certificate.bytes
        let socket = try await HTTPClient(configuration).openWebSocket(request)
        let bytes = TestServer.pattern(500_000)
        try await socket.send(bytes)
        #expect(try await socket.next() == .bytes(bytes))
        await socket.close()
    }

    @Test func `a connection goes through the tunnel of a proxy`() async throws {
        let proxy = try await TestServer()
        var configuration = HTTPConfiguration.direct
        configuration.proxies.unencrypted = proxy.origin
        let request = WebSocketRequest(try server.address("/socket/echo"))
        let socket = try await HTTPClient(configuration).openWebSocket(request)
        try await socket.send("through")
        #expect(try await socket.next() == .text("through"))
        #expect(try await proxy.log("127.0.0.1").map(\.method) == ["CONNECT"])
    }

    @Test func `the address of a WebSocket has its own schemes`() throws {
        #expect(
            try HTTPAddress(webSocket: "WSS://cloud.example/push/ws").description == "https://cloud.example/push/ws")
        #expect(try HTTPAddress(webSocket: "ws://cloud.example:81/").description == "http://cloud.example:81/")
        #expect(throws: HTTPError.self) { try HTTPAddress(webSocket: "https://cloud.example/") }
    }

    @Test func `fragments are joined, and a ping among them is answered`() async throws {
        let socket = try await open("fragments")
        #expect(try await socket.next() == .text("aé!"))
        #expect(try await socket.next() == .bytes(Array("pong: among".utf8)))
    }

    @Test func `the last of many pings is answered`() async throws {
        let socket = try await open("pings/20000")
        #expect(try await socket.next() == .text("19999"))
    }

    @Test func `messages before the end of the server are read, then its reason`() async throws {
        let socket = try await open("messages/1000")
        for number in 0..<1_000 { #expect(try await socket.next() == .text("\(number)")) }
        #expect(try await socket.next() == nil)
        #expect(socket.closure?.code == 1_001)
        #expect(socket.closure?.reason == "that was all")
        #expect(await failure { try await socket.send("late") } == .closed)
    }

    // MARK: Faults

    @Test(arguments: ["forged", "unchanged", "extended"])
    func `a reply that does not accept the WebSocket is an error`(kind: String) async throws {
        let error = await failure { _ = try await open(kind) }
        guard case .invalidReply = error else { throw Unexpected(error: error) }
    }

    @Test(arguments: [200, 302, 401, 403, 404, 426, 503])
    func `a refusal is an error with its status`(status: Int) async throws {
        let address = try server.address("/status/\(status)")
        let error = await failure { _ = try await HTTPClient(.direct).openWebSocket(WebSocketRequest(address)) }
        #expect(error == .status(status, address.origin))
    }

    @Test(arguments: ["/garbage", "/close", "/endless-headers", "/noise/5"])
    func `a reply that is none of the protocol is an error`(path: String) async throws {
        let address = try server.address(path)
        let error = await failure { _ = try await HTTPClient(.direct).openWebSocket(WebSocketRequest(address)) }
        switch error {
        case .invalidReply, .connectionLost, .headTooLong: break
        default: throw Unexpected(error: error)
        }
    }

    @Test(arguments: [
        ("a masked frame", "818100000000"), ("an extension", "c10161"), ("an unknown kind", "830161"),
        ("a long ping", "897e0080"), ("a ping in fragments", "090161"), ("a length that is too long", "817e0001"),
        ("a fragment of nothing", "800161"), ("a message within another", "01016181"), ("half a code", "880103"),
        ("a code that is never sent", "880203ed"), ("bytes that are not UTF-8", "8102c328"),
    ])
    func `a frame that is not permitted ends the connection`(name: String, bytes: String) async throws {
        // One more byte follows, because the reader checks a head only when its second byte has arrived.
        let socket = try await open("bytes/\(bytes)0161")
        let error = await failure { _ = try await socket.next() }
        guard case .invalidReply = error else { throw Unexpected(error: error) }
        #expect(await failure { _ = try await socket.next() } == error)
        #expect(await failure { try await socket.send("x") } == error)
    }

    @Test(arguments: ["827f0000000100000000", "817e0401", "020a" + String(repeating: "61", count: 10) + "807e03f7"])
    func `a message that is too long is an error before it has come`(bytes: String) async throws {
        let socket = try await open("bytes/\(bytes)") { $0.messageLimit = 1_024 }
        let origin = try server.address("/").origin
        #expect(await failure { _ = try await socket.next() } == .bodyTooLong(origin, limit: 1_024))
    }

    @Test(arguments: ["deaf", "bytes/8105", "bytes/81056162"])
    func `a server that is silent, or stops within a frame, is given up`(path: String) async throws {
        let socket = try await openImpatiently(path, silence: .milliseconds(200))
        let error = await failure { _ = try await socket.next() }
        guard case .noProgress = error else { throw Unexpected(error: error) }
    }

    @Test func `a server that does not reply to the request is given up`() async throws {
        let error = await failure { _ = try await open("mute") { $0.patience = .milliseconds(300) } }
        #expect(error == .noProgress(try server.address("/").origin, .milliseconds(300)))
    }

    @Test func `a server that takes no bytes is given up`() async throws {
        let socket = try await openImpatiently("deaf")
        let error = await failure { try await socket.send(TestServer.pattern(64 << 20)) }
        guard case .noProgress = error else { throw Unexpected(error: error) }
        #expect(await failure { _ = try await socket.next() } == error)
    }

    @Test func `a silent server that answers pings is kept`() async throws {
        let socket = try await open("answered-pings") { $0.silence = .milliseconds(50) }
        #expect(try await socket.next() == .text("kind 9"))
    }

    @Test func `a lost connection is an error`() async throws {
        let socket = try await open("bye")
        let error = await failure { _ = try await socket.next() }
        guard case .connectionLost = error else { throw Unexpected(error: error) }
    }

    @Test func `a server that does not run is named`() async throws {
        let address = try HTTPAddress(webSocket: "ws://127.0.0.1:1/")
        let error = await failure { _ = try await HTTPClient(.direct).openWebSocket(WebSocketRequest(address)) }
        #expect(error == .refused(address.origin))
    }

    @Test func `noise is messages, an end or an error`() async throws {
        for seed in 0..<200 {
            let socket = try await open("noise/\(seed)") { $0.messageLimit = 1_024 }
            _ = await failure { while try await socket.next() != nil {} }
        }
    }

    // MARK: Cancellation

    @Test(arguments: ["mute", "deaf"])
    func `a cancelled task ends at once`(path: String) async throws {
        let task = Task {
            await failure {
                let socket = try await open(path) { $0.patience = .seconds(3_600) }
                _ = try await socket.next()
            }
        }
        try await server.waitForRequest("/socket/\(path)")
        task.cancel()
        #expect(await task.value == .cancelled)
    }

    @Test func `an attempt to connect can be cancelled`() async throws {
        let listener = try ListeningSocket()
        let address = try HTTPAddress("https://127.0.0.1:\(listener.port)/")
        let client = try HTTPClient(.direct)
        let task = Task { await failure { _ = try await client.openWebSocket(WebSocketRequest(address)) } }
        try await Task.sleep(for: .milliseconds(50))
        task.cancel()
        #expect(await task.value == .cancelled)
    }

    @Test func `the end of a server that does not answer is waited for briefly`() async throws {
        let socket = try await open("deaf")
        await socket.close()
        #expect(try await socket.next() == nil)
    }

    @Test func `a reader that is slow costs no memory, and loses nothing`() async throws {
        let socket = try await open("messages/100000") { $0.messageLimit = 1_024 }
        try await Task.sleep(for: .milliseconds(100))
        var count = 0
        while let message = try await socket.next() {
            #expect(message == .text("\(count)"))
            count += 1
        }
        #expect(count == 100_000)
    }
}
