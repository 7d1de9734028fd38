import CloudTesting
import DAVFileProvider
import FileProvider
import Foundation
import HTTPTransport
import Testing
import WebDAVClient
import XMLStream

/// Changes of other clients, at a server on which the tag of a folder changes with any of its descendants.
struct ChangeTests {
    private struct Prepared {
        let domain: TestDomain
        let inner: Seen
        let folder: HTTPAddress
    }

    /// Creates a domain with listed folders, `outer` and `outer/inner`.
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

    @Test func `a file in another place of a plain server is another file`() async throws {
        try await CloudServer.with("apache") { server in
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
            #expect(changes.deleted == [file.identifier])
            #expect(!changes.deleted.contains(twin.identifier))
            // Tags do not show whether it has the same contents.
            let moved = try #require(changes.updated.first { $0.name == "b.txt" })
            #expect(moved.parent == folder.identifier)
            #expect(moved.identifier != file.identifier)
        }
    }

    @Test func `a renamed folder of a notice is not a removed one`() async throws {
        let server = try await CloudServer("nextcloud")
        let prepared = try await prepare(server)
        let domain = prepared.domain
        let shown = try await server.order("show", ["user": "alice", "path": "outer/inner"])
        let identity = try #require(shown["id"] as? Int)
        let anchor = try await domain.anchor()
        try await server.order("move", ["user": "alice", "path": "outer/inner", "to": "other"])
        _ = try await domain.provider.work.watch.check(identities: ["\(identity)"])
        let changes = try await domain.changes(since: anchor)
        #expect(changes.deleted.isEmpty)
        #expect(changes.updated.first { $0.identifier == prepared.inner.identifier }?.name == "other")
    }

    @Test func `a listing after the restore of a backup removes nothing`() async throws {
        let server = try await CloudServer("nextcloud")
        let prepared = try await prepare(server)
        let domain = prepared.domain
        try await server.order("backup", [:])
        let late = try await domain.create("late.txt", "late", in: prepared.inner.identifier)
        _ = try await domain.list()
        let anchor = try await domain.anchor()
        try await server.order("restore", [:])
        #expect(try await domain.list(prepared.inner.identifier).contains { $0.identifier == late.identifier })
        // The system can still change the item. The server lacks only its contents.
        #expect(try await domain.item(late.identifier).version == late.version)
        #expect(await failure { _ = try await domain.fetch(late.identifier) } == .cannotSynchronize)
        #expect(try await domain.changes(since: anchor).deleted.isEmpty)
    }

    @Test func `a change on an external storage is found, whose tags end there`() async throws {
        let server = try await CloudServer("nextcloud")
        try await server.order("mount", ["user": "alice", "path": "Disk", "kind": "external"])
        try await server.order("write", ["user": "alice", "path": "Disk/a.txt", "text": "one"])
        let settings = ["authentication": "basic"]
        let domain = try TestDomain(server.root, settings: settings, service: DeepService())
        let disk = try #require(try await domain.list().first { $0.name == "Disk" })
        _ = try await domain.list(disk.identifier)
        try await domain.provider.work.watch.noteInUse([disk.identifier])
        try await domain.look()
        let anchor = try await domain.anchor()
        try await server.order("write", ["user": "alice", "path": "Disk/a.txt", "text": "changed"])
        #expect(try await domain.look())
        #expect(try await domain.changes(since: anchor).updated.contains { $0.name == "a.txt" && $0.size == 7 })
    }

    @Test func `a folder that the server refuses does not hide changes of others`() async throws {
        let server = try await CloudServer("nextcloud")
        let prepared = try await prepare(server)
        let domain = prepared.domain
        let anchor = try await domain.anchor()
        _ = try await server.client.put(.text("changed"), to: prepared.folder.appending("a.txt"))
        _ = try await server.client.put(.text("new"), to: server.root.appending("new.txt"))
        for status in [403, 423, 503] {
            let fault: [String: Any] = [
                "method": "PROPFIND", "path": "outer/$", "status": status, "retry_after": 3_600, "times": -1,
            ]
            try await server.order("fault", fault)
            try await domain.look()
            #expect(try await domain.changes(since: anchor).updated.contains { $0.name == "new.txt" })
            try await server.order("clear-faults", [:])
        }
        try await domain.look()
        #expect(try await domain.changes(since: anchor).updated.contains { $0.name == "a.txt" && $0.size == 7 })
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
