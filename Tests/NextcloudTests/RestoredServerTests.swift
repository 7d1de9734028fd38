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

/// Servers that were restored from a backup, which contains older states of some files.
struct RestoredServerTests {
    private let server: NextcloudTestServer
    private let domain: NextcloudDomain
    private static let now = Int(Date().timeIntervalSince1970)

    init() async throws {
        server = try await NextcloudTestServer()
        domain = try NextcloudDomain.signedIn(server.address)
    }

    private func write(_ text: String, ago seconds: Int) async throws {
        try await server.order(
            "write", ["user": "alice", "path": "a.txt", "text": text, "mtime": Self.now - seconds])
    }

    private func item() async throws -> SeenItem { try #require(try await domain.list().first { $0.name == "a.txt" }) }

    /// The ways by which a provider finds the older state.
    enum Way: CaseIterable, Sendable {
        case listing, search, item
    }

    @Test(arguments: Way.allCases)
    func `newer local contents are sent again before the older ones are reported`(way: Way) async throws {
        try await write("old", ago: 5_000)
        try await server.order("backup")
        try await write("newer contents", ago: 1_000)
        let newer = try await item()
        try await domain.look()
        #expect(domain.sentAgain.items.isEmpty)
        try await server.order("restore")
        switch way {
        case .listing: _ = try await domain.list()
        case .search: try await domain.look()
        case .item: _ = try await domain.item(newer.identifier)
        }
        #expect(domain.sentAgain.items == [newer.identifier])
        // The system's request with the newer contents fails, so it keeps both.
        await #expect(throws: (any Error).self) {
            _ = try await domain.write(Array("newer contents".utf8), to: newer)
        }
        #expect(try await server.show("a.txt")["text"] as? String == "old")
        #expect(try await item().size == 3)
        try await domain.look()
        #expect(domain.sentAgain.items.count == 1)
    }

    @Test func `an older date without a restored backup is a change as any other`() async throws {
        try await write("one", ago: 1_000)
        let file = try await item()
        try await domain.look()
        try await write("another", ago: 5_000)
        #expect(try await item().version != file.version)
        #expect(domain.sentAgain.items.isEmpty)
    }

    @Test func `a change by another client after the restore is a change as any other`() async throws {
        try await write("old", ago: 5_000)
        try await server.order("backup")
        try await write("newer contents", ago: 3_000)
        let file = try await item()
        try await domain.look()
        try await server.order("restore")
        try await write("by another client", ago: 0)
        #expect(try await item().version != file.version)
        #expect(domain.sentAgain.items.isEmpty)
    }

    /// The tags of the folders are the same before and after the restore. The user opens none of the folders.
    @Test func `an item that another client removes after the restore is removed`() async throws {
        for name in ["Folder", "Folder/Inner"] { try await server.order("mkdir", ["user": "alice", "path": name]) }
        for name in ["Folder/kept.txt", "Folder/removed.txt", "Folder/Inner/removed too.txt"] {
            try await server.write(name, name)
        }
        let folder = try #require(try await domain.list().first)
        let inner = try #require(try await domain.list(folder.identifier).first { $0.isFolder })
        let items = try await domain.list(folder.identifier) + (try await domain.list(inner.identifier))
        try await domain.look()
        try await server.order("backup")
        try await write("later", ago: 0)
        let lost = try await item()
        let later = try await domain.create("Later", nil)
        _ = try await domain.list(later.identifier)
        try await domain.look()
        try await server.order("restore")
        let anchor = try await domain.anchor()
        try await domain.look()
        #expect(try await domain.changes(since: anchor).deleted.isEmpty)
        for name in ["Folder/removed.txt", "Folder/Inner/removed too.txt"] {
            try await server.order("remove", ["user": "alice", "path": name])
        }
        try await domain.look()
        let deleted = Set(try await domain.changes(since: anchor).deleted)
        let removed = Set(items.filter { $0.name.hasPrefix("removed") }.map(\.identifier))
        #expect(removed.count == 2 && deleted == removed)
        // The items that the server lost stay, and are not requested again and again.
        let present = Set(try await domain.list().map(\.identifier))
        #expect(present == [folder.identifier, lost.identifier, later.identifier])
        try await domain.look()
        let before = try await server.requests("PROPFIND").count
        try await domain.look()
        #expect(try await server.requests("PROPFIND").count == before + 1)
    }

    /// Changes the contents of an item as the system does, which requests the item first.
    private func edit(_ item: SeenItem, _ text: String) async throws -> SeenItem {
        let present = try await domain.item(item.identifier)
        #expect(present.version == item.version)
        return try await domain.write(Array(text.utf8), to: present)
    }

    @Test func `an edit of a file that the server lacks is sent as a new file`() async throws {
        try await server.order("backup")
        try await write("lost", ago: 1_000)
        let lost = try await item()
        try await domain.look()
        try await server.order("restore")
        let sent = try await edit(lost, "edited")
        #expect(sent.identifier == lost.identifier && sent.name == "a.txt" && sent.size == 6)
        #expect(try await server.show("a.txt")["text"] as? String == "edited")
        #expect(try await domain.list().map(\.identifier) == [lost.identifier])
        // The item is one as any other again.
        let once = try await edit(sent, "edited once more")
        #expect(once.identifier == lost.identifier)
        try await server.order("remove", ["user": "alice", "path": "a.txt"])
        try await domain.look()
        #expect(try await domain.list().isEmpty)
    }

    @Test func `a folder that the server lacks is made again for what is put into it`() async throws {
        try await server.order("backup")
        _ = try await domain.list()
        let folder = try await domain.create("Later", nil)
        let inner = try await domain.create("inner.txt", Array("inner".utf8), in: folder.identifier)
        try await domain.look()
        try await server.order("restore")
        try await domain.look()
        // What the folder had can still be listed.
        #expect(try await domain.list(folder.identifier).map(\.identifier) == [inner.identifier])
        #expect(try await server.show("Later")["exists"] as? Bool == false)
        let new = try await domain.create("new.txt", Array("new".utf8), in: folder.identifier)
        #expect(new.parent == folder.identifier)
        #expect(try await server.show("Later/new.txt")["text"] as? String == "new")
        try await domain.look()
        // A file that was not changed stays on this machine.
        let listed = Set(try await domain.list(folder.identifier).map(\.identifier))
        #expect(listed == [new.identifier, inner.identifier])
        let sent = try await edit(inner, "edited")
        #expect(sent.identifier == inner.identifier)
        #expect(try await server.show("Later/inner.txt")["text"] as? String == "edited")
    }

    @Test func `a file that the server lacks is renamed here, and sent with the new name`() async throws {
        try await server.order("backup")
        try await write("lost", ago: 1_000)
        let lost = try await item()
        try await domain.look()
        try await server.order("restore")
        let renamed = try await domain.move(try await domain.item(lost.identifier), to: "b.txt", in: .rootContainer)
        #expect(renamed.identifier == lost.identifier && renamed.name == "b.txt")
        try await domain.look()
        #expect(try await domain.list().map(\.name) == ["b.txt"])
        #expect(try await server.show("b.txt")["exists"] as? Bool == false)
        #expect(try await edit(renamed, "edited").identifier == lost.identifier)
        #expect(try await server.show("b.txt")["text"] as? String == "edited")
        #expect(try await domain.list().map(\.name) == ["b.txt"])
    }

    @Test(arguments: [true, false])
    func `a file that the server lacks is removed when the user removes it`(goesToTrash: Bool) async throws {
        try await server.order("backup")
        try await write("lost", ago: 1_000)
        let lost = try await item()
        try await domain.look()
        try await server.order("restore")
        // The system requests an item before it removes the item.
        let present = try await domain.item(lost.identifier)
        if goesToTrash {
            // The server's trash cannot contain the file.
            let error = await #expect(throws: (any Error).self) {
                _ = try await domain.move(present, to: "a.txt", in: .trashContainer)
            }
            #expect((error as? NSError)?.code == NSFileProviderError.Code.noSuchItem.rawValue)
        } else {
            try await domain.remove(present)
        }
        #expect(try await domain.list().isEmpty)
    }
}
