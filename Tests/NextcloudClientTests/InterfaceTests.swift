import CloudTesting
import HTTPTransport
import NextcloudClient
import NextcloudTesting
import Testing
import WebDAVClient

struct InterfaceTests {
    private let server: NextcloudTestServer
    private let client: NextcloudClient

    init() async throws {
        server = try await NextcloudTestServer()
        client = try server.client()
    }

    @Test func `abilities and the user are read`() async throws {
        try await server.order("quota", ["user": "alice", "bytes": 5_000])
        try await server.write("a.txt", "0123456789")
        let found = try await client.capabilities()
        #expect(found.version == [31, 0, 5])
        #expect(found.versionText == "31.0.5")
        #expect(found.name == "Nextcloud")
        #expect(found.hasChunking && found.hasBulkUpload && found.hasTrash && found.hasVersions && found.hasLinks)
        #expect(!found.linksNeedPassword)
        #expect(found.largestChunk == 100 << 20)
        #expect(found.push?.socket.hasPrefix("ws://") == true)
        #expect(found.objection(to: "a.txt") == nil)
        #expect(found.objection(to: ".htaccess") != nil)
        let user = try await client.currentUser()
        #expect(user.id == "alice" && user.displayName == "alice" && user.free == 4_990 && user.used == 10)
    }

    @Test func `abilities that a server does not have are absent`() async throws {
        try await server.order(
            "set", ["capabilities": ["notify_push": nil, "dav": nil, "files_sharing": nil] as [String: String?]])
        let found = try await client.capabilities()
        #expect(found.push == nil)
        #expect(!found.hasChunking && !found.hasBulkUpload && !found.hasLinks)
    }

    @Test func `a login page or an error page is an error with a sentence`() async throws {
        let origin = server.address.origin
        try await server.order("fault", ["path": "ocs", "html": true])
        #expect(await failure { _ = try await client.currentUser() } == .signInPage(origin))
        try await server.order("fault", ["path": "ocs", "html": true, "status": 500])
        let error = await failure { _ = try await client.currentUser() }
        guard case .status(500, _) = error else { throw UnexpectedError(error: error) }
        try await server.order("fault", ["path": "ocs", "status": 200, "body": "<ocs><meta/></ocs>"])
        let other = await failure { _ = try await client.currentUser() }
        guard case .invalidReply = other else { throw UnexpectedError(error: other) }
        let wrong = try server.client(password: "wrong")
        #expect(await failure { _ = try await wrong.currentUser() } == .notSignedIn(origin))
        let bomb = "<!DOCTYPE a [<!ENTITY b \"cc\">]><ocs>&b;</ocs>"
        try await server.order("fault", ["path": "ocs", "status": 200, "body": bomb])
        let last = await failure { _ = try await client.currentUser() }
        guard case .invalidReply = last else { throw UnexpectedError(error: last) }
    }

    // MARK: Properties

    @Test func `entries have what Nextcloud knows of them`() async throws {
        try await server.order("mkdir", ["user": "alice", "path": "Folder"])
        try await server.write("Folder/a.txt", "0123456789")
        let root = try client.root
        let folder = try #require(
            try await client.files.list(root).all().map { NextcloudEntry($0) }.first { $0.name == "Folder" })
        #expect(folder.size == 10)
        #expect(folder.permissions?.contains([.createFiles, .createDirectories, .delete, .rename]) == true)
        let entries = try await client.files.list(folder.entry.address).all().map { NextcloudEntry($0) }
        let file = try #require(entries.first)
        #expect(file.fileID.map { Int($0) } == (try await server.show("Folder/a.txt")["id"]) as? Int)
        #expect(file.instanceID?.contains("\(file.fileID ?? 0)") == true)
        #expect(file.permissions?.contains([.write, .read, .delete, .share]) == true)
        #expect(file.permissions?.contains(.createFiles) == false)
        #expect(file.hasPreview && !file.isEncrypted && !file.isMountRoot && !file.isFavorite)
        #expect(file.ownerID == "alice" && file.lockOwner == nil)
        // The number stays when the file moves.
        try await server.order("move", ["user": "alice", "path": "Folder/a.txt", "to": "b.txt"])
        let moved = NextcloudEntry(try await client.files.entry(at: root.appending("b.txt")))
        #expect(moved.fileID == file.fileID)
        let found = try await client.entry(withID: try #require(file.fileID))
        #expect(found?.entry.address == moved.entry.address)
        let missing = try await client.entry(withID: 999_999)
        #expect(missing == nil)
    }

    @Test func `mounts and encrypted folders are recognized, and the mark of the data changes`() async throws {
        try await server.order("mount", ["user": "alice", "path": "Team", "kind": "group", "rights": 1])
        try await server.order("mkdir", ["user": "alice", "path": "Vault"])
        try await server.order("encrypt", ["user": "alice", "path": "Vault"])
        let entries = try await client.files.list(client.root).all().map { NextcloudEntry($0) }
        let team = try #require(entries.first { $0.name == "Team" })
        #expect(team.isMountRoot && team.mountType == "group")
        #expect(team.permissions?.contains(.isMounted) == true)
        #expect(team.permissions?.isDisjoint(with: [.createFiles, .write]) == true)
        #expect(entries.first { $0.name == "Vault" }?.isEncrypted == true)

        try await server.order("backup")
        let before = try await client.examineRoot()
        try await server.order("restore")
        let after = try await client.examineRoot()
        #expect(before.dataFingerprint != after.dataFingerprint)
        #expect(after.entry.quota != nil)
    }

    // MARK: Favorites and tags

    @Test func `favorites are set, listed and removed`() async throws {
        try await server.order("mkdir", ["user": "alice", "path": "é"])
        try await server.write("é/a #1.txt", "one")
        let file = try client.root.appending("é").appending("a #1.txt")
        try await client.setFavorite(true, of: file)
        #expect(try await client.favorites().map(\.entry.address) == [file])
        #expect(NextcloudEntry(try await client.files.entry(at: file)).isFavorite)
        try await client.setFavorite(false, of: file)
        #expect(try await client.favorites().isEmpty)
    }

    @Test func `tags are made, given, listed and removed`() async throws {
        try await server.write("a.txt", "one")
        let file = try client.root.appending("a.txt")
        let number = try #require(NextcloudEntry(try await client.files.entry(at: file)).fileID)
        let tag = try await client.makeTag("Urgent & late")
        #expect(await failure { _ = try await client.makeTag("Urgent & late") } == .exists("Urgent & late"))
        #expect(try await client.tags().contains(tag))
        try await client.add(tag, to: number)
        try await client.add(tag, to: number)
        #expect(try await client.tags(of: number) == [tag])
        #expect(NextcloudEntry(try await client.files.entry(at: file)).tags == ["Urgent & late"])
        #expect(try await client.entries(with: tag).map(\.name) == ["a.txt"])
        try await client.remove(tag, from: number)
        try await client.remove(tag, from: number)
        #expect(try await client.tags(of: number).isEmpty)
    }

    // MARK: Search, shares, previews

    @Test func `a search finds names in any folder, and takes the text as it is`() async throws {
        try await server.order("mkdir", ["user": "alice", "path": "A/B"])
        for path in ["A/Report 1.txt", "A/B/report 100%.txt", "other.txt", "report_2.txt"] {
            try await server.write(path, path)
        }
        #expect(Set(try await client.search("REPORT").map(\.name)).count == 3)
        #expect(try await client.search("100%").map(\.name) == ["report 100%.txt"])
        #expect(try await client.search("t_2").map(\.name) == ["report_2.txt"])
        let folder = try client.root.appending("A")
        let found = try await client.search("report", in: folder)
        #expect(Set(found.map(\.name)) == ["Report 1.txt", "report 100%.txt"])
        #expect(found.allSatisfy { $0.fileID != nil && $0.entry.address.path.hasPrefix(folder.path) })
        #expect(try await client.search("report", count: 2).count == 2)
        #expect(try await client.search("<&>").isEmpty)
    }

    @Test func `a link is made, listed and removed`() async throws {
        try await server.write("a ü.txt", "for all")
        let file = try client.root.appending("a ü.txt")
        let share = try await client.makeLink(to: file, label: "For Ada")
        let link = try HTTPAddress(#require(share.link))
        #expect(try await server.browse(.get, link.path).body == Array("for all".utf8))
        #expect(try await client.shares(of: file) == [share])
        #expect(NextcloudEntry(try await client.files.entry(at: file)).shareTypes == [3])
        try await client.removeShare(share)
        #expect(try await client.shares(of: file).isEmpty)
        let error = await failure { _ = try await client.share(file, with: "no such user") }
        guard case .notFound = error else { throw UnexpectedError(error: error) }
    }

    @Test func `a share with another user is the other's mount`() async throws {
        try await server.order("user", ["user": "bob", "password": "b"])
        try await server.write("a.txt", "shared")
        let share = try await client.share(client.root.appending("a.txt"), with: "bob")
        #expect(share.kind == .user && share.recipient == "bob")
        var other = client
        other = NextcloudClient(
            server: server.address, user: "bob",
            files: DAVClient(try HTTPClient(.direct), credentials: .basic(user: "bob", password: "b")))
        let entry = NextcloudEntry(try await other.files.entry(at: other.root.appending("a.txt")))
        #expect(entry.isMountRoot && entry.mountType == "shared")
        #expect(entry.permissions?.contains(.isShared) == true)
        #expect(entry.ownerID == "alice")
    }

    @Test func `a preview is a picture, or absent`() async throws {
        try await server.write("a.txt", "words")
        try await server.write("a.bin", "bytes")
        let root = try client.root
        let text = NextcloudEntry(try await client.files.entry(at: root.appending("a.txt")))
        let other = NextcloudEntry(try await client.files.entry(at: root.appending("a.bin")))
        let preview = try await client.preview(
            of: try #require(text.fileID), width: 64, height: 64, tag: text.entry.tag)
        #expect(preview?.contentType == "image/png")
        #expect(preview?.bytes.starts(with: [0x89, 0x50, 0x4E, 0x47]) == true)
        #expect(try await client.preview(of: try #require(other.fileID), width: 64, height: 64) == nil)
        try await server.order("fault", ["path": "preview", "html": true])
        #expect(
            await failure { _ = try await client.preview(of: 1, width: 9, height: 9) }
                == .signInPage(server.address.origin))
    }

    // MARK: Trash and versions

    @Test func `removed files are listed, put back, and removed for good`() async throws {
        try await server.order("mkdir", ["user": "alice", "path": "Folder"])
        for name in ["one ü.txt", "two.txt", "three.txt"] { try await server.write("Folder/\(name)", name) }
        let folder = try client.root.appending("Folder")
        for name in ["one ü.txt", "two.txt"] { try await client.files.delete(folder.appending(name)) }
        let items = try await client.trashItems()
        #expect(Set(items.map(\.name)) == ["one ü.txt", "two.txt"])
        let one = try #require(items.first { $0.name == "one ü.txt" })
        #expect(one.formerPath == "Folder/one ü.txt" && one.removed != nil && one.entry.fileID != nil)
        try await client.restore(one)
        #expect(try await server.show("Folder/one ü.txt")["text"] as? String == "one Ã¼.txt")
        try await client.remove(try #require(items.first { $0.name == "two.txt" }))
        #expect(try await client.trashItems().isEmpty)
        try await client.files.delete(folder.appending("three.txt"))
        try await client.emptyTrash()
        #expect(try await client.trashItems().isEmpty)
    }

    @Test func `former contents are listed and put back`() async throws {
        let file = try client.root.appending("a.txt")
        for (text, date) in [("one", 1_000_000_000), ("two!", 1_100_000_000), ("three", 1_200_000_000)] {
            _ = try await client.files.put(.text(text), to: file, modified: HTTPDate(seconds: Int64(date)))
        }
        let number = try #require(NextcloudEntry(try await client.files.entry(at: file)).fileID)
        let versions = try await client.versions(of: number)
        #expect(Set(versions.compactMap(\.size)) == [3, 4, 5])
        let first = try #require(versions.first { $0.size == 3 })
        #expect(try await client.files.get(first.address, to: .memory(limit: 10)).bytes == Array("one".utf8))
        try await client.restore(first)
        #expect(try await server.show("a.txt")["text"] as? String == "one")
    }
}
