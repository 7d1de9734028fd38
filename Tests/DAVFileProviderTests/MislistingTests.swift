import CloudTesting
import DAVFileProvider
import FileProvider
import FileTesting
import Foundation
import HTTPTransport
import Testing
import WebDAVClient

/// Servers that list some items with wrong addresses.
struct MislistingTests {
    private let server: CloudServer
    private let domain: TestDomain

    init() async throws {
        server = try await CloudServer("nextcloud")
        domain = try TestDomain(server.root, settings: ["authentication": "basic"])
    }

    /// Makes the server write other ends of addresses in all its replies. Each end is a regular expression.
    private func mislist(_ ends: [(end: String, other: String)]) async throws {
        let replaced = ends.map { [$0.end + "</d:href>", $0.other + "</d:href>"] }
        try await server.order("fault", ["method": "PROPFIND", "times": -1, "replace": replaced])
    }

    private func put(_ text: String, _ name: String) async throws {
        _ = try await server.client.put(.text(text), to: server.root.appending(name))
    }

    private func names() async throws -> Set<String> { Set(try await domain.list().map(\.name)) }

    /// Each end of an address, and the wrong one that the server writes.
    struct Mistake: Sendable {
        let name: String
        let end: String
        let other: String
    }

    @Test(arguments: [
        // The characters that end a path are not encoded. Spaces are dropped. A name is not UTF-8. An address is that
        // of another folder.
        Mistake(name: "a?.txt", end: "a%3f\\.txt", other: "a"),
        Mistake(name: " a.txt", end: "%20a\\.txt", other: "a.txt"),
        Mistake(name: "\u{E9}.txt", end: "%c3%a9\\.txt", other: "%E9.txt"),
        Mistake(name: "a.txt", end: "/a\\.txt", other: "/Another/a.txt"),
    ])
    func `a known item stays when it is listed with a wrong address`(mistake: Mistake) async throws {
        let file = try await domain.create(mistake.name, "one")
        let other = try await domain.create("plain.txt", "plain")
        #expect(try await names().isSuperset(of: [mistake.name, "plain.txt"]))
        try await domain.look()
        let before = try await names()
        let anchor = try await domain.anchor()
        try await mislist([(mistake.end, mistake.other)])
        for _ in 0..<2 {
            try await domain.look()
            #expect(try await names() == before)
        }
        let changes = try await domain.changes(since: anchor)
        #expect(changes.deleted.isEmpty && changes.updated.allSatisfy { before.contains($0.name) })
        #expect(try await domain.fetch(file.identifier).text == "one")
        let written = try await domain.write("second", to: file)
        #expect(written.identifier == file.identifier && written.name == mistake.name)
        #expect(try await names() == before)
        // Removals by other clients are still found.
        try await server.client.delete(try server.root.appending(mistake.name))
        try await server.client.delete(try server.root.appending(other.name))
        try await domain.look()
        #expect(Set(try await domain.changes(since: anchor).deleted) == [file.identifier, other.identifier])
    }

    @Test func `an entry at whose address the server has nothing is left out beside a known item`() async throws {
        _ = try await domain.create("a?.txt", "one")
        let before = try await names()
        try await put("two", "b?.txt")
        try await mislist([("a%3f\\.txt", "a"), ("b%3f\\.txt", "b")])
        #expect(try await names() == before)
        try await domain.look()
        #expect(try await names() == before)
        try await server.order("clear-faults", [:])
        #expect(try await names() == before.union(["b?.txt"]))
    }

    @Test func `an entry at whose address the server has nothing is left out after it was opened`() async throws {
        try await put("two", "b?.txt")
        try await mislist([("b%3f\\.txt", "b")])
        let entry = try #require(try await domain.list().first { $0.name == "b" })
        #expect(await failure { _ = try await domain.fetch(entry.identifier) } == .noSuchItem)
        for _ in 0..<2 {
            try await domain.look()
            #expect(try await !names().contains("b"))
        }
        // The name is free for another file.
        try await put("another", "b")
        let made = try #require(try await domain.list().first { $0.name == "b" })
        #expect(try await domain.fetch(made.identifier).text == "another")
    }

    @Test func `a file does not get the state of another one that is listed with its address`() async throws {
        let file = try await domain.create("b", "the file itself")
        let other = try await domain.create("b?.txt", "other")
        let before = try await names()
        try await mislist([("b%3f\\.txt", "b")])
        for _ in 0..<2 {
            try await domain.look()
            let items = try await domain.list()
            #expect(Set(items.map(\.name)) == before)
            #expect(items.first { $0.identifier == file.identifier }?.version == file.version)
            #expect(items.first { $0.identifier == other.identifier }?.version == other.version)
        }
    }

    @Test func `two new files with one listed address become the one that has it`() async throws {
        _ = try await domain.list()
        try await put("the file itself", "b")
        try await put("other", "b?.txt")
        try await mislist([("b%3f\\.txt", "b")])
        try await domain.look()
        let made = try #require(try await domain.list().first { $0.name == "b" })
        #expect(made.size == 15)
        #expect(try await domain.fetch(made.identifier).text == "the file itself")
    }

    @Test(arguments: CloudServer.installed.filter { $0 == "xandikos" })
    func `names that xandikos lists in another form stay`(name: String) async throws {
        try await CloudServer.with(name) { server in
            let domain = try TestDomain(server.root)
            let wanted = ["question?", "a?b.txt", " space", "tab\there", "colon:", "hash #", "http:a"]
            var made: Set<NSFileProviderItemIdentifier> = []
            for name in wanted { made.insert(try await domain.create(name, "in \(name)").identifier) }
            let anchor = try await domain.anchor()
            for _ in 0..<2 {
                let items = try await domain.list().filter { !$0.isFolder }
                #expect(Set(items.map(\.name)).intersection(wanted) == Set(wanted), "\(items.map(\.name))")
                for item in items where wanted.contains(item.name) {
                    #expect(try await domain.fetch(item.identifier).text == "in \(item.name)")
                }
                try await domain.look()
            }
            #expect(try await made.isDisjoint(with: domain.changes(since: anchor).deleted))
        }
    }

    @Test func `an address is logged once`() throws {
        let folder = try TestFolder()
        let catalogue = try ServerCatalogue(folder.path + "/catalogue.sqlite")
        #expect(try catalogue.noteMislisted("a", in: 1))
        #expect(try !catalogue.noteMislisted("a", in: 1))
        #expect(try catalogue.noteMislisted("a", in: 2))
        try catalogue.forgetMislisted(in: 1, except: [Array("a".utf8)])
        #expect(try !catalogue.noteMislisted("a", in: 1))
        try catalogue.forgetMislisted(in: 1, except: [])
        #expect(try catalogue.noteMislisted("a", in: 1))
    }
}
