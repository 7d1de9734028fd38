import DAVFileProvider
import FileProvider
import Foundation
import HTTPTransport
import LinuxSystem
import Nextcloud
import NextcloudClient
import NextcloudTesting
import Testing
import WebDAVClient

/// Servers that were restored from a backup and assign the identities of files that they lost to other files.
struct ReusedIdentityTests {
    private let server: NextcloudTestServer
    private let domain: NextcloudDomain

    init() async throws {
        server = try await NextcloudTestServer()
        domain = try NextcloudDomain.signedIn(server.address)
    }

    private func item(_ name: String) async throws -> SeenItem {
        try #require(try await domain.list().first { $0.name == name })
    }

    /// Loses `lost.txt` in a restore, before which the domain has listed the file.
    ///
    /// - Returns: the file, and its identity.
    private func lose() async throws -> (item: SeenItem, identity: Int) {
        try await server.order("mkdir", ["user": "alice", "path": "Folder"])
        try await server.order("backup")
        try await server.write("lost.txt", "lost")
        let identity = try #require(try await server.show("lost.txt")["id"] as? Int)
        _ = try await domain.list(try await item("Folder").identifier)
        try await domain.look()
        let lost = try await item("lost.txt")
        #expect(String(decoding: try await domain.fetch(lost.identifier), as: UTF8.self) == "lost")
        try await server.order("restore")
        return (lost, identity)
    }

    /// The ways by which a provider finds the other file.
    enum Way: CaseIterable, Sendable {
        case listing, search, item
    }

    private func find(_ way: Way, _ lost: SeenItem, in folder: String?) async throws {
        switch way {
        case .listing: _ = try await domain.list(folder == nil ? .rootContainer : try await item("Folder").identifier)
        case .search: try await domain.look()
        case .item: _ = try await domain.item(lost.identifier)
        }
    }

    @Test(arguments: Way.allCases, [nil, "Folder"])
    func `a file does not become another one that has its identity now`(way: Way, folder: String?) async throws {
        let (lost, identity) = try await lose()
        let path = [folder, "other.txt"].compactMap { $0 }.joined(separator: "/")
        try await server.write(path, "another")
        #expect(try await server.show(path)["id"] as? Int == identity)
        let anchor = try await domain.anchor()
        try await find(way, lost, in: folder)
        let present = try await domain.item(lost.identifier)
        #expect(present.name == "lost.txt" && present.parent == .rootContainer && present.version == lost.version)
        #expect(try await domain.changes(since: anchor).deleted.isEmpty)
        let container = folder == nil ? .rootContainer : try await item("Folder").identifier
        let other = try #require(try await domain.list(container).first { $0.name == "other.txt" })
        #expect(other.identifier != lost.identifier)
        #expect(String(decoding: try await domain.fetch(other.identifier), as: UTF8.self) == "another")
        await #expect(throws: NSFileProviderError.self) { _ = try await domain.fetch(lost.identifier) }
        // Each edit reaches its own file.
        let sent = try await domain.write(Array("edited".utf8), to: present)
        #expect(sent.identifier == lost.identifier)
        _ = try await domain.write(Array("edited, too".utf8), to: other)
        #expect(try await server.show("lost.txt")["text"] as? String == "edited")
        #expect(try await server.show(path)["text"] as? String == "edited, too")
        try await domain.look()
        #expect(try await item("lost.txt").identifier == lost.identifier)
        #expect(try await domain.list(container).contains { $0.identifier == other.identifier })
    }

    @Test(arguments: Way.allCases)
    func `a file stays beside another one that has its name now`(way: Way) async throws {
        let (lost, identity) = try await lose()
        try await server.write("first.txt", "has the identity")
        try await server.write("lost.txt", "by another client")
        #expect(try await server.show("lost.txt")["id"] as? Int != identity)
        let anchor = try await domain.anchor()
        try await find(way, lost, in: nil)
        let present = try await domain.item(lost.identifier)
        #expect(present.name == "lost (before the restore).txt" && present.version == lost.version)
        #expect(try await domain.changes(since: anchor).deleted.isEmpty)
        let sent = try await domain.write(Array("edited".utf8), to: present)
        #expect(sent.identifier == lost.identifier)
        #expect(try await server.show("lost.txt")["text"] as? String == "by another client")
        #expect(try await server.show("lost (before the restore).txt")["text"] as? String == "edited")
        let names = Set(try await domain.list().map(\.name))
        #expect(names == ["Folder", "first.txt", "lost.txt", "lost (before the restore).txt"])
    }

    @Test func `a new file does not become a removed one that had its identity`() async throws {
        try await server.order("backup")
        try await server.write("gone.txt", "gone")
        let gone = try await item("gone.txt")
        let identity = try #require(try await server.show("gone.txt")["id"] as? Int)
        try await domain.look()
        try await server.order("remove", ["user": "alice", "path": "gone.txt"])
        try await domain.look()
        #expect(try await domain.list().isEmpty)
        try await server.order("restore")
        try await server.write("new.txt", "new")
        #expect(try await server.show("new.txt")["id"] as? Int == identity)
        #expect(try await item("new.txt").identifier != gone.identifier)
    }

    @Test func `requests by identity do not reach another file`() async throws {
        let (lost, identity) = try await lose()
        let now = Int(Date().timeIntervalSince1970)
        for (index, text) in ["1", "22"].enumerated() {
            try await server.order(
                "write", ["user": "alice", "path": "other.txt", "text": text, "mtime": now - 2_000 + index * 1_000])
        }
        #expect(try await server.show("other.txt")["id"] as? Int == identity)
        for action in [NextcloudExtension.restoreVersion, NextcloudExtension.showVersions] {
            await #expect(throws: (any Error).self) { try await domain.perform(action, on: lost) }
        }
        try await domain.look()
        #expect(try await domain.thumbnails([lost]).isEmpty)
        await #expect(throws: (any Error).self) {
            try await domain.perform(NextcloudExtension.openInBrowser, on: lost)
        }
        await #expect(throws: (any Error).self) { _ = try await domain.mark(lost, favoriteRank: nil, tags: ["red"]) }
        #expect(try await server.show("other.txt")["text"] as? String == "22")
        #expect(try await item("other.txt").tags.isEmpty)
    }
}
