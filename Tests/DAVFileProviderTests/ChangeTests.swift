import CloudTesting
import DAVFileProvider
import FileProvider
import Foundation
import HTTPTransport
import Testing
import WebDAVClient
import XMLStream

/// Changes of other clients, at a server with tags of folders that change with everything below.
struct ChangeTests {
    /// A Nextcloud, as far as changes are concerned.
    private struct DeepService: DAVServiceKind {
        private static let identity = XMLName("http://owncloud.org/ns", "fileid")
        var properties: [XMLName] { [Self.identity] }
        var hasDeepTags: Bool { true }

        func traits(of entry: DAVEntry) -> DAVTraits {
            var traits = DAVTraits()
            traits.identity = entry.property(Self.identity)?.text
            return traits
        }
    }

    private struct Prepared {
        let domain: TestDomain
        let inner: Seen
        let folder: HTTPAddress
    }

    /// Makes a domain with listed folders, `outer` and `outer/inner`.
    private func prepare(_ server: CloudServer) async throws -> Prepared {
        let settings = ["authentication": "basic"]
        let domain = try TestDomain(server.root, settings: settings, service: DeepService())
        let outer = try await domain.create("outer", nil)
        let inner = try await domain.create("inner", nil, in: outer.identifier)
        _ = try await domain.create("a.txt", "one", in: inner.identifier)
        _ = try await domain.list()
        _ = try await domain.list(outer.identifier)
        _ = try await domain.list(inner.identifier)
        try await domain.look()
        let folder = try server.root.appending("outer").asDirectory.appending("inner").asDirectory
        return Prepared(domain: domain, inner: inner, folder: folder)
    }

    @Test func `a deep change is found from the root down, in few requests`() async throws {
        let server = try await CloudServer("nextcloud")
        let prepared = try await prepare(server)
        let domain = prepared.domain
        let anchor = try await domain.anchor()
        #expect(try await !domain.look())
        _ = try await server.client.put(.text("changed"), to: prepared.folder.appending("a.txt"))
        #expect(try await domain.look())
        let changes = try await domain.changes(since: anchor)
        #expect(changes.updated.contains { $0.name == "a.txt" && $0.size == 7 })
        #expect(changes.deleted.isEmpty)
    }

    @Test func `a listing of a folder between does not hide a deep change`() async throws {
        let server = try await CloudServer("nextcloud")
        let prepared = try await prepare(server)
        let domain = prepared.domain
        let anchor = try await domain.anchor()
        _ = try await server.client.put(.text("changed"), to: prepared.folder.appending("a.txt"))
        _ = try await domain.list()
        _ = try await domain.list(prepared.inner.parent)
        try await domain.look()
        #expect(try await domain.changes(since: anchor).updated.contains { $0.name == "a.txt" && $0.size == 7 })
    }

    @Test func `a move elsewhere is a move here`() async throws {
        let server = try await CloudServer("nextcloud")
        let prepared = try await prepare(server)
        let domain = prepared.domain
        let file = try #require(try await domain.list(prepared.inner.identifier).first { $0.name == "a.txt" })
        let anchor = try await domain.anchor()
        try await server.client.move(
            prepared.folder.appending("a.txt"), to: server.root.appending("b.txt"),
            if: DAVRequirements(destination: .absent))
        try await domain.look()
        let changes = try await domain.changes(since: anchor)
        #expect(changes.deleted.isEmpty)
        let moved = try #require(changes.updated.first { $0.identifier == file.identifier })
        #expect(moved.name == "b.txt")
        #expect(moved.parent == .rootContainer)
    }

    @Test func `a move that a plain server's tags show keeps the identifier`() async throws {
        try await CloudServer.with("lighttpd") { server in
            let domain = try TestDomain(server.root)
            let folder = try await domain.create("Folder", nil)
            let file = try await domain.create("a.txt", "some contents")
            let twin = try await domain.create("twin.txt", "x")
            _ = try await domain.list()
            _ = try await domain.list(folder.identifier)
            let anchor = try await domain.anchor()
            let target = try server.root.appending("Folder").asDirectory.appending("b.txt")
            try await server.client.move(
                server.root.appending("a.txt"), to: target, if: DAVRequirements(destination: .absent))
            try await domain.look()
            let changes = try await domain.changes(since: anchor)
            #expect(!changes.deleted.contains(twin.identifier))
            // Some servers give a moved file another tag; then it is another file.
            let moved = changes.updated.first { $0.name == "b.txt" }
            #expect(moved?.parent == folder.identifier)
            if moved?.version == file.version { #expect(moved?.identifier == file.identifier) }
        }
    }

    @Test func `names of any kind are the server's`() async throws {
        let server = try await CloudServer("nextcloud")
        let domain = try TestDomain(server.root, settings: ["authentication": "basic"])
        let names = ["#1 100% +&;=@,'~.txt", "no-break\u{A0}space", "Case.txt", "case.txt", "%41.txt"]
        for name in names {
            let made = try await domain.create(name, name)
            #expect(made.name.utf8.elementsEqual(name.utf8))
            #expect(try await domain.fetch(made.identifier).text == name)
        }
        #expect(Set(try await domain.list().map(\.name)).isSuperset(of: names))
        // The server refuses this one for good.
        #expect(await failure { _ = try await domain.create("tab\t", "x") } == .cannotSynchronize)
        // The server composes names; the item has the server's.
        let composed = try await domain.create("e\u{301}.txt", "x")
        #expect(composed.name.utf8.elementsEqual("\u{E9}.txt".utf8))
        #expect(try await domain.fetch(composed.identifier).text == "x")
        let moved = try await domain.move(composed, to: "o\u{308}.txt")
        #expect(moved.identifier == composed.identifier)
        #expect(moved.name.utf8.elementsEqual("\u{F6}.txt".utf8))
    }

    @Test func `a part of a file is at its offset`() async throws {
        let server = try await CloudServer("nextcloud")
        let domain = try TestDomain(server.root, settings: ["authentication": "basic"])
        let text = (0..<10_000).map { String($0) }.joined(separator: " ")
        let made = try await domain.create("long.txt", text)
        let part = try await domain.part(of: made, NSRange(location: 5_000, length: 100), alignment: 4_096)
        #expect(part.range.location == 4_096)
        #expect(part.range.length == 4_096)
        #expect(part.bytes == Array(text.utf8)[4_096..<8_192])
        _ = try await server.client.put(.text("other"), to: server.root.appending("long.txt"))
        #expect(
            await failure {
                _ = try await domain.part(of: made, NSRange(location: 0, length: 10), alignment: 1)
            } == .versionNoLongerAvailable)
    }
}
