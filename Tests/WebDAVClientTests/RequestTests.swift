import HTTPTransport
import Testing
import WebDAVClient

struct RequestTests {
    private let server: OrderedServer
    private let tag = DAVEntityTag("W/\"t\"")

    init() async throws { server = try await OrderedServer() }

    /// Returns the only request that an operation sends. The server replies with the given status.
    private func request(
        status: Int = 204, headers: [String: String] = [:], body: String = "",
        _ operation: (DAVClient) async throws -> Void
    ) async throws -> OrderedServer.Record {
        try await server.order(status: status, headers: headers, body: body)
        try await operation(server.client)
        let requests = try await server.requests()
        #expect(requests.count == 1)
        return try #require(requests.last)
    }

    @Test func `a file is written whole, with the opaque part of its tag as the condition`() async throws {
        let tag = try #require(tag)
        let request = try await request(status: 201, headers: ["ETag": "\"new\"", "X-OC-MTime": "accepted"]) { client in
            let upload = try await client.put(
                .text("abc"), to: server.address("/a.txt"), if: DAVRequirements(resource: .tag(tag)),
                modified: HTTPDate(seconds: 7))
            #expect(upload.tag?.opaque == "new")
            #expect(upload.hasCreated)
            #expect(upload.hasTakenDate)
        }
        #expect(request.method == "PUT")
        #expect(request.body == "abc")
        #expect(request.headers["if-match"] == "\"t\"")
        #expect(request.headers["x-oc-mtime"] == "7")
        #expect(request.headers["content-range"] == nil)
    }

    @Test func `a new file is written only if nothing is at its address`() async throws {
        let request = try await request { client in
            _ = try await client.put(
                .none, to: server.address("/a"), if: DAVRequirements(resource: .absent))
        }
        #expect(request.headers["if-none-match"] == "*")
        #expect(request.headers["content-length"] == "0")
    }

    @Test func `a lock goes with the request that it permits`() async throws {
        let lock = DAVLock(address: try server.address("/a"), token: "urn:uuid:1")
        let request = try await request { client in
            _ = try await client.put(.text("a"), to: lock.address, if: DAVRequirements(locks: [lock]))
        }
        #expect(request.headers["if"] == "(<urn:uuid:1>)")
    }

    @Test func `a move has its destination with the states that it must be in`() async throws {
        let (source, target) = (try server.address("/a%20b"), try server.address("/c"))
        let lock = DAVLock(address: target, token: "urn:uuid:1")
        let requirements = DAVRequirements(
            resource: .present, destination: .tag(try #require(tag)), locks: [lock])
        let request = try await request(status: 201) { client in
            let isNew = try await client.move(source, to: target, if: requirements)
            #expect(isNew)
        }
        #expect(request.method == "MOVE")
        #expect(request.path == "/a%20b")
        #expect(request.headers["destination"] == target.description)
        #expect(request.headers["overwrite"] == "T")
        #expect(request.headers["if-match"] == "*")
        #expect(request.headers["if"] == "<\(target)> (<urn:uuid:1> [\"t\"])")
    }

    @Test func `a copy can be kept from overwriting`() async throws {
        let request = try await request { client in
            let isNew = try await client.copy(
                server.address("/a"), to: server.address("/b"), if: DAVRequirements(destination: .absent))
            #expect(!isNew)
        }
        #expect(request.method == "COPY")
        #expect(request.headers["overwrite"] == "F")
        #expect(request.headers["if"] == nil)
    }

    @Test func `a lock is granted by the header, and its time comes from the body`() async throws {
        let body = lockDiscovery("<locktoken><href>urn:uuid:2</href></locktoken><timeout>Second-90</timeout>")
        let request = try await request(status: 201, headers: ["Lock-Token": "<urn:uuid:2>"], body: body) { client in
            let lock = try await client.lock(server.address("/a"), owner: "Ada & co", timeout: .seconds(60))
            #expect(lock.token == "urn:uuid:2")
            #expect(lock.timeout == .seconds(90))
            #expect(lock.hasCreated)
        }
        #expect(request.headers["timeout"] == "Second-60")
        #expect(request.headers["depth"] == "0")
        #expect(request.body.contains("Ada &amp; co"))
    }

    @Test func `a lock without a token is an error`() async throws {
        try await server.order(.lock, status: 200, body: lockDiscovery(""))
        let error = await failure { _ = try await server.client.lock(server.root, owner: "Ada") }
        #expect(error == .invalidReply(server.root.origin, "it grants a lock without a token"))
    }

    @Test func `a lock is prolonged without a body`() async throws {
        let lock = DAVLock(address: try server.address("/a"), token: "urn:uuid:3")
        let request = try await request(status: 200, body: lockDiscovery("<timeout>Infinite</timeout>")) { client in
            let renewed = try await client.refresh(lock)
            #expect(renewed.timeout == nil)
        }
        #expect(request.body.isEmpty)
        #expect(request.headers["if"] == "(<urn:uuid:3>)")
    }

    @Test func `a part is read only of the expected state`() async throws {
        let (tag, body) = (try #require(DAVEntityTag("\"t\"")), "0123456789")
        let headers = ["ETag": "\"t\"", "Content-Range": "bytes 2-5/10"]
        let request = try await request(status: 206, headers: headers, body: String(body.dropFirst(2).prefix(4))) {
            let contents = try await $0.get(
                server.address("/a"), range: HTTPByteRange(2..<6), if: .range(tag), to: .memory(limit: 100))
            #expect(contents.bytes == Array("2345".utf8))
            #expect(contents.size == 10)
            #expect(!contents.isWhole)
        }
        #expect(request.headers["if-range"] == "\"t\"")
        #expect(request.headers["range"] == "bytes=2-5")
    }

    @Test func `another state than the expected one is an error, even if the server ignores conditions`() async throws {
        try await server.order(.get, status: 200, headers: ["ETag": "\"other\""], body: "abc")
        let address = try server.address("/a")
        for text in ["\"t\"", "W/\"t\""] {
            let tag = try #require(DAVEntityTag(text))
            #expect(
                await failure { _ = try await server.client.get(address, if: .tag(tag), to: .nowhere) }
                    == .changed("/a"))
        }
        // A weak tag never fits, so it is compared here only.
        #expect(try await server.requests().map { $0.headers["if-match"] } == ["\"t\"", nil])
    }

    @Test func `properties are changed together or not at all`() async throws {
        let refused =
            "<response><href>/a</href><propstat><prop><lastmodified/></prop>"
            + "<status>HTTP/1.1 403 Forbidden</status></propstat></response>"
        try await server.order(.proppatch, body: multistatus(refused))
        #expect(try await !server.client.setModified(HTTPDate(seconds: 5), of: server.address("/a")))
        try await server.order(.proppatch, body: multistatus(refused.replacing("403 Forbidden", with: "200 OK")))
        #expect(try await server.client.setModified(HTTPDate(seconds: 5), of: server.address("/a")))
        #expect(try await server.requests().last?.body.contains("<D:lastmodified>5</D:lastmodified>") == true)
    }

    @Test func `a server's abilities come from several fields`() async throws {
        let headers = ["DAV": "1, 2,<http://example.org/x>", "Allow": "GET, PUT", "Server": "Test"]
        try await server.order(.options, status: 200, headers: headers)
        let features = try await server.client.features(of: server.root)
        #expect(features.classes == ["1", "2", "<http://example.org/x>"])
        #expect(features.methods == ["GET", "PUT"])
        #expect(features.claimsLocks)
        #expect(features.server == "Test")
    }

    private func lockDiscovery(_ properties: String) -> String {
        "<prop xmlns=\"DAV:\"><lockdiscovery><activelock>\(properties)</activelock></lockdiscovery></prop>"
    }
}
