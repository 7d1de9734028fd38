import CloudTesting
import DAVFileProvider
import FileProvider
import Foundation
import HTTPTransport
import Testing
import WebDAVClient

/// Tests of servers and connections that fail during requests of the provider.
struct FaultTests {
    /// Makes the tests' Nextcloud server cause a fault.
    private func order(_ fault: String, _ server: CloudServer) async throws {
        var request = HTTPRequest(.post, try server.root.resolving("/-/fault"))
        request.body = .text(fault)
        try await server.client.http.send(request).requireSuccess()
    }

    /// A reply that replaces the server's, and the error that the system must receive for it.
    struct Refusal: Sendable {
        let fault: String
        let code: NSFileProviderError.Code
    }

    @Test(arguments: [
        Refusal(fault: #"{"method": "PROPFIND", "status": 423}"#, code: .providerDomainTemporarilyUnavailable),
        Refusal(
            fault: #"{"method": "PROPFIND", "status": 503, "retry_after": 3600}"#,
            code: .providerDomainTemporarilyUnavailable),
        Refusal(
            fault: #"{"method": "PROPFIND", "status": 429, "retry_after": 3600}"#,
            code: .providerDomainTemporarilyUnavailable),
        Refusal(fault: #"{"method": "PROPFIND", "status": 507}"#, code: .insufficientQuota),
        Refusal(fault: #"{"method": "PROPFIND", "html": true}"#, code: .notAuthenticated),
        Refusal(fault: #"{"method": "PROPFIND", "cut": 200, "times": -1}"#, code: .serverUnreachable),
    ])
    func `a refusal is an error that the system understands, with one sentence`(refusal: Refusal) async throws {
        let server = try await CloudServer("nextcloud")
        let domain = try TestDomain(server.root, settings: ["authentication": "basic"])
        _ = try await domain.list()
        try await order(refusal.fault, server)
        do {
            _ = try await domain.item(.rootContainer)
            Issue.record("the request succeeded")
        } catch {
            let error = error as NSError
            #expect(error.domain == NSFileProviderErrorDomain)
            #expect(error.code == refusal.code.rawValue)
            #expect(error.localizedDescription.hasSuffix("."))
        }
    }

    @Test func `a wrong password is sent once`() async throws {
        let server = try await CloudServer("nextcloud")
        let domain = try TestDomain(server.root, settings: ["user": "bob", "authentication": "basic"])
        domain.passwords.store("wrong", for: "bob", at: server.root.origin, domain: "test")
        for _ in 0..<5 { #expect(await failure { _ = try await domain.list() } == .notAuthenticated) }
        let response = try await server.client.http.send(HTTPRequest(.post, try server.root.resolving("/-/count")))
        #expect(!String(decoding: response.body, as: UTF8.self).contains("\"5\""))
    }

    @Test func `an upload whose reply was lost is recognized`() async throws {
        let server = try await CloudServer("nextcloud")
        let domain = try TestDomain(server.root, settings: ["authentication": "basic"])
        let first = try await domain.create("a.txt", "one")
        try await order(#"{"method": "PUT", "drop": "after"}"#, server)
        let written = try await domain.write("second", to: first)
        #expect(written.size == 6)
        try await order(#"{"method": "PUT", "drop": "after"}"#, server)
        let made = try await domain.create("b.txt", "new")
        #expect(try await domain.fetch(made.identifier).text == "new")
        try await order(#"{"method": "MOVE", "drop": "after"}"#, server)
        let moved = try await domain.move(made, to: "c.txt")
        #expect(moved.identifier == made.identifier)
        try await order(#"{"method": "DELETE", "drop": "after"}"#, server)
        try await domain.remove(moved)
        #expect(try await domain.list().map(\.name).contains("c.txt") == false)
    }

    @Test func `an upload that did not arrive can be repeated`() async throws {
        let server = try await CloudServer("nextcloud")
        let domain = try TestDomain(server.root, settings: ["authentication": "basic"])
        let first = try await domain.create("a.txt", "one")
        try await order(#"{"method": "PUT", "drop": "before"}"#, server)
        #expect(await failure { _ = try await domain.write("second", to: first) } == .serverUnreachable)
        #expect(try await domain.write("second", to: first).size == 6)
        // The first process was killed before it received the reply. The next one creates the same item again.
        let made = try await domain.create("b.txt", "new", template: "template")
        let next = try TestDomain(server.root, in: domain.folder, settings: ["authentication": "basic"])
        let again = try await next.create("b.txt", "newer", template: "template")
        #expect(again.identifier == made.identifier)
        #expect(try await next.fetch(made.identifier).text == "newer")
    }

    @Test(arguments: [true, false])
    func `a folder with a name that no file can have is not removed`(isRecursive: Bool) async throws {
        try await CloudServer.with("apache") { server in
            let domain = try TestDomain(server.root, settings: ["authentication": "basic"])
            let folder = try await domain.create("folder", nil)
            _ = try await domain.list(folder.identifier)
            let other = try server.root.resolving("folder/%FF.txt")
            _ = try await server.client.put(.text("unseen"), to: other)
            await #expect(throws: (any Error).self) { try await domain.remove(folder, isRecursive: isRecursive) }
            #expect(try await server.client.get(other, to: .memory(limit: 100)).bytes == Array("unseen".utf8))
        }
    }

    @Test func `an item that the user may not see for a while stays`() async throws {
        let server = try await CloudServer("nextcloud")
        let domain = try TestDomain(server.root, settings: ["authentication": "basic"])
        for name in ["a.txt", "b.txt"] { _ = try await domain.create(name, name) }
        let before = try await domain.list()
        let anchor = try await domain.anchor()
        let fault = ##"{"method": "PROPFIND", "times": -1, "replace": [["b.txt</d:href>", "\##(Self.forbidden)"]]}"##
        try await order(fault, server)
        _ = try await domain.look()
        #expect(try await domain.changes(since: anchor).deleted.isEmpty)
        #expect(Set(try await domain.list().map(\.identifier)) == Set(before.map(\.identifier)))
        #expect(try await domain.changes(since: anchor).deleted.isEmpty)
    }

    /// The end of an address in a listing, followed by a status instead of properties.
    private static let forbidden = "b.txt</d:href><d:status>HTTP/1.1 403 Forbidden</d:status>"

    @Test func `a listing that breaks off removes nothing`() async throws {
        let server = try await CloudServer("nextcloud")
        let domain = try TestDomain(server.root, settings: ["authentication": "basic"])
        for name in ["a.txt", "b.txt", "c.txt"] { _ = try await domain.create(name, name) }
        let before = try await domain.list()
        let anchor = try await domain.anchor()
        try await order(#"{"method": "PROPFIND", "cut": 900, "times": -1}"#, server)
        await #expect(throws: (any Error).self) { _ = try await domain.list() }
        await #expect(throws: (any Error).self) { try await domain.look() }
        try await server.client.http.send(HTTPRequest(.post, try server.root.resolving("/-/clear-faults")))
            .requireSuccess()
        #expect(try await domain.changes(since: anchor).deleted.isEmpty)
        #expect(Set(try await domain.list().map(\.identifier)) == Set(before.map(\.identifier)))
    }

    @Test func `what a server without its root says is missing is not removed`() async throws {
        let server = try await CloudServer("nextcloud")
        let domain = try TestDomain(server.root, settings: ["authentication": "basic"])
        let folder = try await domain.create("Folder", nil)
        let made = try await domain.create("a.txt", "one", in: folder.identifier)
        _ = try await domain.list()
        _ = try await domain.list(folder.identifier)
        let anchor = try await domain.anchor()
        // A proxy replies while its server starts.
        try await order(#"{"path": "files/alice", "status": 404, "times": -1}"#, server)
        let code = NSFileProviderError.Code.providerDomainTemporarilyUnavailable
        #expect(await failure { _ = try await domain.list() } == code)
        #expect(await failure { _ = try await domain.list(folder.identifier) } == code)
        #expect(await failure { _ = try await domain.item(made.identifier) } == code)
        #expect(await failure { _ = try await domain.fetch(made.identifier) } == code)
        #expect(await failure { _ = try await domain.write("two", to: made) } == code)
        await #expect(throws: (any Error).self) { try await domain.look() }
        try await server.order("clear-faults", [:])
        #expect(try await domain.changes(since: anchor).deleted.isEmpty)
        #expect(try await domain.item(made.identifier).version == made.version)
    }

    @Test func `a refused sign-in for one folder leaves the others`() async throws {
        let server = try await CloudServer("nextcloud")
        let domain = try TestDomain(server.root, settings: ["authentication": "basic"])
        let folder = try await domain.create("Folder", nil)
        try await order(#"{"path": "Folder", "status": 401, "times": -1}"#, server)
        await #expect(throws: CocoaError.self) { _ = try await domain.list(folder.identifier) }
        _ = try await domain.list()
        _ = try await domain.create("a.txt", "one")
    }

    @Test func `the first page of a long listing comes before its end`() async throws {
        let server = try await CloudServer("nextcloud")
        let domain = try TestDomain(server.root, settings: ["authentication": "basic"])
        // The server writes its 5,000 files into the reply.
        let files = (0..<5_000).map { index in
            "<d:response><d:href>\(server.root.path)file\(index)</d:href><d:propstat><d:prop><d:resourcetype/>"
                + "<d:getcontentlength>1</d:getcontentlength></d:prop><d:status>HTTP/1.1 200 OK</d:status></d:propstat>"
                + "</d:response>"
        }
        let end = "</d:multistatus>"
        let replacement = try JSONEncoder().encode([[end, files.joined() + end]])
        try await order(
            #"{"method": "PROPFIND", "replace": \#(String(decoding: replacement, as: UTF8.self))}"#, server)
        let enumerator = try domain.provider.enumerator(for: .rootContainer, request: NSFileProviderRequest())
        let start = NSFileProviderPage(NSFileProviderPage.initialPageSortedByName as Data)
        let (first, next) = try await Pages.read(enumerator, from: start, size: 500)
        #expect(first.count < 2_000)
        var (page, count) = (next, first.count)
        while let current = page {
            let (items, following) = try await Pages.read(enumerator, from: current, size: 500)
            count += items.count
            page = following
        }
        #expect(count >= 5_000)
        let unknown = NSFileProviderPage(Data("1.1".utf8))
        #expect(
            await failure { _ = try await Pages.read(enumerator, from: unknown, size: 500) } == .syncAnchorExpired)
    }

    @Test func `without a connection known items stay, and nothing counts as removed`() async throws {
        let server = try await CloudServer("nextcloud")
        let proxy = try await FaultProxy(before: server.root)
        let domain = try TestDomain(proxy.root, settings: ["authentication": "basic"])
        let made = try await domain.create("a.txt", "one")
        let anchor = try await domain.anchor()
        _ = try await domain.list()
        try await proxy.command(#"{"refuse": true, "close": true}"#, number: 1)
        #expect(await failure { _ = try await domain.item(made.identifier) } == .serverUnreachable)
        #expect(await failure { try await domain.remove(made) } == .serverUnreachable)
        try await proxy.command(#"{"clear": true, "refuse": false}"#, number: 2)
        #expect(try await domain.changes(since: anchor).deleted.isEmpty)
        #expect(try await domain.item(made.identifier).version == made.version)
    }
}
