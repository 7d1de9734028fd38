import DAVFileProvider
import FileProvider
import FileTesting
import Foundation
import HTTPTransport
import LinuxSystem
import Nextcloud
import NextcloudClient
import NextcloudTesting
import Testing
import WebDAVClient

struct NextcloudTests {
    private let server: NextcloudTestServer
    private let domain: NextcloudDomain

    init() async throws {
        server = try await NextcloudTestServer()
        domain = try NextcloudDomain.signedIn(server.address)
    }

    private func item(_ name: String, in folder: NSFileProviderItemIdentifier = .rootContainer) async throws -> SeenItem
    {
        try #require(try await domain.list(folder).first { $0.name == name })
    }

    // MARK: Items

    @Test func `files are listed, fetched, written and created`() async throws {
        try await server.order("mkdir", ["user": "alice", "path": "Folder"])
        try await server.write("Folder/a ü.txt", "0123456789")
        let folder = try await item("Folder")
        #expect(folder.isFolder && folder.size == 10)
        let file = try await item("a ü.txt", in: folder.identifier)
        #expect(try await domain.fetch(file.identifier) == Array("0123456789".utf8))
        let written = try await domain.write(Array("new".utf8), to: file)
        #expect(written.identifier == file.identifier && written.size == 3)
        #expect(try await server.show("Folder/a ü.txt")["text"] as? String == "new")
        let made = try await domain.create("b.txt", Array("b".utf8), in: folder.identifier)
        #expect(made.parent == folder.identifier)
        #expect(try await server.show("Folder/b.txt")["text"] as? String == "b")
        let inner = try await domain.create("Inner", nil, in: folder.identifier)
        #expect(inner.isFolder)
        try await domain.remove(made)
        #expect(try await server.show("Folder/b.txt")["exists"] as? Bool == false)
    }

    @Test func `an edit of a file that another client changed overwrites nothing`() async throws {
        try await server.write("a.txt", "one")
        let file = try await item("a.txt")
        try await server.write("a.txt", "theirs")
        await #expect(throws: (any Error).self) { _ = try await domain.write(Array("mine".utf8), to: file) }
        #expect(try await server.show("a.txt")["text"] as? String == "theirs")
    }

    @Test func `a large file is sent in chunks and goes on where it stopped`() async throws {
        try await server.order("set", ["largest-chunk": 6_000_000])
        let bytes = pattern(22_000_000)
        try await server.order("fault", ["method": "PUT", "path": "00003", "times": -1, "status": 403])
        await #expect(throws: (any Error).self) { _ = try await domain.create("large.bin", bytes) }
        try await server.order("clear-faults")
        let made = try await domain.create("large.bin", bytes)
        #expect(made.size == bytes.count)
        #expect(try await domain.fetch(made.identifier) == bytes)
        let chunks = try await server.requests("PUT").filter { $0.path.contains("/uploads/") && $0.status == 201 }
        #expect(Set(chunks.map(\.path)).count == chunks.count)
        let checksum = try await server.show("large.bin")["checksum"] as? String
        #expect(checksum?.hasPrefix("SHA1:") == true)
    }

    @Test func `a large file is sent in one request where chunks are not protected`() async throws {
        try await server.write("large.bin", "one")
        let file = try await item("large.bin")
        let account = try domain.provider.account
        var profile = DAVServerProfile()
        (profile.putIfMatch, profile.putIfNoneMatch, profile.tagging) = (.honoured, .honoured, .strong)
        profile.moveIfDestinationMatches = .ignored
        try await account.set(profile)
        _ = try await domain.write(pattern(21_000_000), to: file)
        #expect(try await server.show("large.bin")["size"] as? Int == 21_000_000)
        #expect(try await server.requests("PUT").allSatisfy { !$0.path.contains("/uploads/") })
    }

    @Test func `an item keeps its identifier where another client moves it`() async throws {
        try await server.order("mkdir", ["user": "alice", "path": "A"])
        try await server.order("mkdir", ["user": "alice", "path": "B"])
        try await server.write("A/a.txt", "one")
        let (a, b) = (try await item("A"), try await item("B"))
        let file = try await item("a.txt", in: a.identifier)
        _ = try await domain.list(b.identifier)
        let anchor = try await domain.anchor()
        try await server.order("move", ["user": "alice", "path": "A/a.txt", "to": "B/b.txt"])
        #expect(try await domain.item(file.identifier).name == "b.txt")
        try await domain.look()
        let changes = try await domain.changes(since: anchor)
        let moved = try #require(changes.updated.first { $0.identifier == file.identifier })
        #expect(moved.name == "b.txt" && moved.parent == b.identifier)
        #expect(!changes.deleted.contains(file.identifier))
    }

    // MARK: Changes

    @Test func `changes are found from the root down, with few requests`() async throws {
        for folder in ["A/B/C", "D", "E"] { try await server.order("mkdir", ["user": "alice", "path": folder]) }
        try await server.write("A/B/C/a.txt", "one")
        var folder = try await item("A")
        for name in ["B", "C"] { folder = try await item(name, in: folder.identifier) }
        let file = try await item("a.txt", in: folder.identifier)
        for name in ["D", "E"] { _ = try await domain.list(try await item(name).identifier) }
        try await domain.look()
        let anchor = try await domain.anchor()
        try await server.order("requests", ["forget": true])
        try await domain.look()
        #expect(try await server.requests("PROPFIND").count == 1)
        try await server.write("A/B/C/a.txt", "another")
        try await server.write("A/B/C/new.txt", "new")
        try await server.order("requests", ["forget": true])
        try await domain.look()
        #expect(try await server.requests("PROPFIND").count == 5)
        let changes = try await domain.changes(since: anchor)
        #expect(changes.updated.first { $0.identifier == file.identifier }?.size == 7)
        #expect(changes.updated.contains { $0.name == "new.txt" })
        try await server.order("remove", ["user": "alice", "path": "A/B/C/a.txt"])
        try await domain.look()
        #expect(try await domain.changes(since: anchor).deleted.contains(file.identifier))
    }

    @Test func `a notice of the server leads to the change`() async throws {
        try await server.order("set", ["push-quiet": 0.01, "push-pause": 0.01])
        try await server.write("a.txt", "one")
        let file = try await item("a.txt")
        let account = try domain.provider.account
        let notices = AsyncStream.makeStream(of: [String]?.self)
        let task = Task {
            await account.service.listen(for: account) { notice in
                if case .items(let identities) = notice {
                    notices.continuation.yield(identities)
                } else {
                    notices.continuation.yield(nil)
                }
            }
        }
        var heard = notices.stream.makeAsyncIterator()
        #expect(await heard.next() == .some(nil))
        let anchor = try await domain.anchor()
        // Until the server has read the client's request for the numbers of files, it tells of changes without numbers.
        var told: [String]?
        while told == nil {
            try await server.write("a.txt", "another")
            told = await heard.next() ?? nil
        }
        let identities = try #require(told)
        #expect(account.service.pollInterval == 900)
        #expect(try await domain.provider.work.watch.check(identities: identities))
        #expect(try await domain.changes(since: anchor).updated.map(\.identifier).contains(file.identifier))
        // Without the connection, checks begin at once and are frequent.
        try await server.order("fault", ["path": "push/ws", "status": 503, "times": -1])
        try await server.order("close-push")
        while case .some(.some) = await heard.next() {}
        #expect(account.service.pollInterval == nil)
        task.cancel()
    }

    @Test func `after a restored backup nothing is removed`() async throws {
        try await server.write("kept.txt", "kept")
        try await server.order("backup")
        try await server.write("late.txt", "late")
        _ = try await domain.list()
        try await domain.look()
        let late = try await item("late.txt")
        let anchor = try await domain.anchor()
        try await server.order("restore")
        try await domain.look()
        #expect(try await domain.changes(since: anchor).deleted.isEmpty)
        _ = try await domain.list()
        // The system can still change the item. The server lacks only its contents.
        #expect(try await domain.item(late.identifier).version == late.version)
        await #expect(throws: NSFileProviderError.self) { _ = try await domain.fetch(late.identifier) }
        #expect(try await domain.changes(since: anchor).deleted.isEmpty)
        // A removal after that is reported.
        let kept = try await item("kept.txt")
        try await server.order("remove", ["user": "alice", "path": "kept.txt"])
        try await domain.look()
        #expect(try await domain.changes(since: anchor).deleted == [kept.identifier])
    }

    // MARK: Rights

    @Test func `the server's letters say what the user may do`() async throws {
        try await server.order("mount", ["user": "alice", "path": "Team", "kind": "group", "rights": 31])
        try await server.order("mount", ["user": "alice", "path": "Read", "kind": "group", "rights": 1])
        try await server.order("mkdir", ["user": "alice", "path": "Vault"])
        try await server.order("encrypt", ["user": "alice", "path": "Vault"])
        try await server.write("a.txt", "one")
        #expect(try await item("a.txt").capabilities.contains([.allowsWriting, .allowsTrashing, .allowsRenaming]))
        let team = try await item("Team")
        #expect(team.capabilities.contains(.allowsWriting))
        #expect(team.capabilities.isDisjoint(with: [.allowsDeleting, .allowsTrashing]))
        let read = try await item("Read")
        #expect(!read.capabilities.contains(.allowsWriting) && read.capabilities.contains(.allowsReading))
        try await server.write("Vault/0123abcd", "sealed")
        let vault = try await item("Vault")
        #expect(vault.capabilities == [.allowsReading])
        #expect(try await domain.list(vault.identifier).map(\.capabilities) == [[.allowsReading]])
    }

    @Test func `an encrypted folder can only be read, also by a process that has not listed it`() async throws {
        try await server.order("mkdir", ["user": "alice", "path": "Vault/Inner"])
        try await server.order("encrypt", ["user": "alice", "path": "Vault"])
        try await server.write("Vault/Inner/0123abcd", "sealed")
        let vault = try await item("Vault")
        let inner = try await item("Inner", in: vault.identifier)
        let file = try await item("0123abcd", in: inner.identifier)
        let next = try NextcloudDomain.signedIn(server.address, after: domain)
        #expect(try await next.item(file.identifier).capabilities == [.allowsReading])
        #expect(try await next.list(inner.identifier).map(\.capabilities) == [[.allowsReading]])
    }

    @Test func `a share is left by an action only`() async throws {
        try await server.order("user", ["user": "bob", "password": "b"])
        try await server.order("write", ["user": "bob", "path": "b.txt", "text": "b"])
        let bob = try server.client(user: "bob", password: "b")
        _ = try await bob.share(bob.root.appending("b.txt"), with: "alice")
        let shared = try await item("b.txt")
        #expect(shared.isShared && !shared.capabilities.contains(.allowsDeleting))
        try await domain.perform(NextcloudExtension.leave, on: shared)
        #expect(try await domain.list().isEmpty)
        #expect(try await server.order("show", ["user": "bob", "path": "b.txt"])["exists"] as? Bool == true)
        try await server.write("own.txt", "own")
        let own = try await item("own.txt")
        await #expect(throws: (any Error).self) { try await domain.perform(NextcloudExtension.leave, on: own) }
    }

    // MARK: Trash, marks, versions, thumbnails

    @Test func `items go into the trash and come back`() async throws {
        try await server.order("mkdir", ["user": "alice", "path": "Folder"])
        try await server.write("Folder/a.txt", "one")
        let folder = try await item("Folder")
        let file = try await item("a.txt", in: folder.identifier)
        let trashed = try await domain.move(file, to: "a.txt", in: .trashContainer)
        #expect(trashed.parent == .trashContainer && trashed.name == "a.txt")
        #expect(try await domain.list(.trashContainer).map(\.identifier) == [trashed.identifier])
        #expect(try await domain.item(trashed.identifier).parent == .trashContainer)
        let restored = try await domain.move(trashed, to: "b.txt", in: .rootContainer)
        #expect(restored.name == "b.txt" && restored.parent == .rootContainer)
        #expect(try await server.show("b.txt")["text"] as? String == "one")
        #expect(try await domain.list(.trashContainer).isEmpty)
        let again = try await domain.move(restored, to: "b.txt", in: .trashContainer)
        try await domain.remove(again)
        #expect(try await domain.list(.trashContainer).isEmpty)
    }

    @Test func `what is in the trash can be listed and read`() async throws {
        for folder in ["Folder", "Folder/Inner ü"] {
            try await server.order("mkdir", ["user": "alice", "path": folder])
        }
        try await server.write("Folder/Inner ü/a.txt", "one")
        try await server.write("b.txt", "two")
        let file = try await domain.move(item("b.txt"), to: "b.txt", in: .trashContainer)
        #expect(try await domain.fetch(file.identifier) == Array("two".utf8))
        let folder = try await domain.move(item("Folder"), to: "Folder", in: .trashContainer)
        let inner = try #require(try await domain.list(folder.identifier).first)
        #expect(inner.name == "Inner ü" && inner.parent == folder.identifier && inner.isFolder)
        let deep = try #require(try await domain.list(inner.identifier).first)
        #expect(deep.name == "a.txt" && deep.parent == inner.identifier)
        #expect(try await domain.item(deep.identifier).parent == inner.identifier)
        #expect(try await domain.fetch(deep.identifier) == Array("one".utf8))
    }

    @Test func `a file that another client changed does not go into the trash unseen`() async throws {
        try await server.write("a.txt", "one")
        let file = try await item("a.txt")
        try await server.write("a.txt", "theirs")
        await #expect(throws: (any Error).self) { _ = try await domain.move(file, to: "a.txt", in: .trashContainer) }
        #expect(try await server.show("a.txt")["text"] as? String == "theirs")
    }

    @Test func `without a trash nothing is removed in its place`() async throws {
        try await server.order("set", ["capabilities": ["files": ["undelete": false]]])
        try await server.write("a.txt", "one")
        let file = try await item("a.txt")
        await #expect(throws: (any Error).self) { _ = try await domain.move(file, to: "a.txt", in: .trashContainer) }
        #expect(try await server.show("a.txt")["text"] as? String == "one")
        #expect(try await !item("a.txt").capabilities.contains(.allowsTrashing))
    }

    @Test func `favorites and tags are the server's`() async throws {
        try await server.write("a.txt", "one")
        let file = try await item("a.txt")
        let marked = try await domain.mark(file, favoriteRank: 3, tags: ["Urgent", "Late\n6"])
        #expect(marked.favoriteRank == 1 && marked.tags == ["Late", "Urgent"])
        #expect(try await server.show("a.txt")["favourite"] as? Bool == true)
        let cleared = try await domain.mark(marked, favoriteRank: nil, tags: ["Urgent"])
        #expect(cleared.favoriteRank == nil && cleared.tags == ["Urgent"])
    }

    @Test func `the previous version is put back`() async throws {
        try await server.order("write", ["user": "alice", "path": "a.txt", "text": "one", "mtime": 1_000_000_000])
        try await server.order("write", ["user": "alice", "path": "a.txt", "text": "two", "mtime": 1_100_000_000])
        let file = try await item("a.txt")
        try await domain.perform(NextcloudExtension.restoreVersion, on: file)
        #expect(try await server.show("a.txt")["text"] as? String == "one")
    }

    @Test func `thumbnails are the server's previews`() async throws {
        try await server.write("a.txt", "words")
        try await server.write("a.bin", "bytes")
        let items = try await domain.list()
        let found = try await domain.thumbnails(items)
        #expect(found.count == 1)
        #expect(found.values.first?.starts(with: [0x89, 0x50, 0x4E, 0x47]) == true)
        #expect(try await server.requests("GET").allSatisfy { $0.path.contains("preview") })
    }

    // MARK: Search

    @Test func `a search finds files in folders that were never listed`() async throws {
        try await server.order("mkdir", ["user": "alice", "path": "A/B ü"])
        try await server.write("A/B ü/Report.txt", "one")
        try await server.write("other.txt", "two")
        let found = try await domain.search("report")
        #expect(found.map(\.filename) == ["Report.txt"])
        let item = try await domain.item(try #require(found.first?.itemIdentifier))
        #expect(item.name == "Report.txt" && item.size == 3)
        let folder = try await domain.item(item.parent)
        #expect(folder.name == "B ü" && folder.isFolder)
        // Listings find the same items.
        let a = try await self.item("A")
        #expect(folder.parent == a.identifier)
        #expect(try await domain.list(folder.identifier).map(\.identifier) == [item.identifier])
        #expect(try await domain.fetch(item.identifier) == Array("one".utf8))
    }

    @Test func `an item keeps its identifier in a folder that was never listed`() async throws {
        try await server.order("mkdir", ["user": "alice", "path": "A/B"])
        try await server.write("a.txt", "one")
        let file = try await item("a.txt")
        try await server.order("move", ["user": "alice", "path": "a.txt", "to": "A/B/a.txt"])
        let moved = try await domain.item(file.identifier)
        #expect(moved.identifier == file.identifier && moved.parent != .rootContainer)
    }

    // MARK: Set-up

    private func setUp(
        _ domain: NextcloudDomain, _ settings: [String: String], _ purpose: FileProviderSetup.Purpose = .adding,
        as user: String = "alice", on other: NextcloudTestServer? = nil
    ) async throws -> (settings: [String: String], lines: [String]) {
        let lines = Lock<[String]>([])
        let setup = FileProviderSetup(
            purpose: purpose, settings: settings,
            credentials: { _, _ in throw UnexpectedError(error: "asked for a password") },
            open: { [server = other ?? server] link, _ in
                let form = "token=\(link.path.split(separator: "/").last ?? "")&user=\(user)&password=secret"
                _ = try? await server.browse(.post, "index.php/login/v2/grant", form: form)
            }, report: { line in lines.withLock { $0.append(line) } })
        try await domain.provider.setUpDomain(setup)
        return (setup.settings, lines.withLock { $0 })
    }

    @Test func `a user signs in in the browser, and the domain works`() async throws {
        let page = server.address.description + "index.php/apps/files"
        let new = try NextcloudDomain(try HTTPAddress(page), password: nil)
        let (settings, lines) = try await setUp(new, ["url": page])
        #expect(settings["url"] == server.address.description)
        #expect(settings["user"] == "alice" && settings["userid"] == "alice")
        #expect(!settings.values.contains("secret"))
        let password = new.passwords.password(for: "alice", at: server.address.origin, domain: "test")
        #expect(password?.isEmpty == false && password != "secret")
        #expect(!lines.isEmpty && !lines.contains { $0.contains(password ?? "") })
        let added = try NextcloudDomain(server.address, settings: settings, password: password)
        try await server.write("a.txt", "one")
        #expect(try await added.list().map(\.name) == ["a.txt"])
        // Other settings change without another sign-in.
        let logins = try await server.requests("POST").count { $0.path.hasSuffix("/grant") }
        _ = try await setUp(added, settings.merging(["poll": "60"]) { $1 }, .changing)
        #expect(try await server.requests("POST").count { $0.path.hasSuffix("/grant") } == logins)
    }

    /// Whether the server takes a password.
    private func isValid(_ password: String?, _ server: NextcloudTestServer) async throws -> Bool {
        let client = try server.client(password: try #require(password))
        guard let error = await failure({ _ = try await client.currentUser() }) else { return true }
        guard case .notSignedIn = error else { throw error }
        return false
    }

    @Test func `a set-up removes only its own probe from the trash`() async throws {
        let client = try server.client()
        for folder in [".purvey-probe-mine", "Folder", "Folder/.purvey-probe-mine"] {
            try await server.order("mkdir", ["user": "alice", "path": folder])
        }
        for path in [".purvey-probe-mine/a.txt", ".purvey-probe-b.txt"] { try await server.write(path, "mine") }
        let removed = [".purvey-probe-mine/a.txt", ".purvey-probe-mine", ".purvey-probe-b.txt", "Folder"]
        for path in removed { try await client.files.delete(client.root.resolving(path)) }
        let new = try NextcloudDomain(server.address, password: nil)
        let (settings, lines) = try await setUp(new, ["url": server.address.description])
        #expect(lines.contains { $0.hasPrefix("Writes are protected by") })
        #expect(Set(try await client.trashItems().map(\.formerPath)) == Set(removed))
        _ = try await setUp(new, settings, .signingIn)
        #expect(Set(try await client.trashItems().map(\.formerPath)) == Set(removed))
        let records = new.folder.path + "/.probes"
        #expect(try FileManager.default.contentsOfDirectory(atPath: records).isEmpty)
    }

    @Test func `a probe whose remains in the trash could not be removed stays recorded until they can`() async throws {
        try await server.order("fault", ["method": "PROPFIND", "path": "trashbin", "status": 423, "times": -1])
        _ = try await domain.create("a.txt", Array("one".utf8))
        let (client, records) = (try server.client(), domain.folder.path + "/.probes")
        #expect(try FileManager.default.contentsOfDirectory(atPath: records).count == 1)
        try await server.order("clear-faults")
        #expect(try await !client.trashItems().isEmpty)
        // A child process that another test has just forked also holds the record's lock until it runs its program.
        for _ in 0..<1_000 where try !FileManager.default.contentsOfDirectory(atPath: records).isEmpty {
            try await domain.look()
        }
        #expect(try await client.trashItems().isEmpty)
        #expect(try FileManager.default.contentsOfDirectory(atPath: records).isEmpty)
    }

    @Test func `a sign-in replaces the password of the same account only`() async throws {
        let new = try NextcloudDomain(server.address, password: nil)
        let (settings, _) = try await setUp(new, ["url": server.address.description])
        let first = new.passwords.password(for: "alice", at: server.address.origin, domain: "test")
        _ = try await setUp(new, settings, .signingIn)
        let second = new.passwords.password(for: "alice", at: server.address.origin, domain: "test")
        #expect(first != second)
        #expect(try await !isValid(first, server))
        #expect(try await isValid(second, server))
        try await server.order("user", ["user": "bob", "password": "secret"])
        await #expect(throws: DAVSetUpError.self) { _ = try await setUp(new, settings, .signingIn, as: "bob") }
        #expect(new.passwords.password(for: "bob", at: server.address.origin, domain: "test") == nil)
        #expect(new.passwords.password(for: "alice", at: server.address.origin, domain: "test") == second)
    }

    @Test func `another server as the address means another sign-in`() async throws {
        let new = try NextcloudDomain(server.address, password: nil)
        let (settings, _) = try await setUp(new, ["url": server.address.description])
        let other = try await NextcloudTestServer()
        let (changed, _) = try await setUp(
            new, settings.merging(["url": other.address.description]) { $1 }, .changing, on: other)
        #expect(changed["url"] == other.address.description)
        let password = new.passwords.password(for: "alice", at: other.address.origin, domain: "test")
        #expect(try await isValid(password, other))
        // The domain's former server has got nothing of it.
        #expect(try await server.requests("POST").count { $0.path.hasSuffix("/grant") } == 1)
    }

    @Test func `a password is ended if the set-up fails after the sign-in`() async throws {
        try await server.order("fault", ["path": "cloud/user", "status": 500, "times": -1])
        let new = try NextcloudDomain(server.address, password: nil)
        await #expect(throws: DAVSetUpError.self) { _ = try await setUp(new, ["url": server.address.description]) }
        #expect(try await server.requests("DELETE").contains { $0.path.hasSuffix("apppassword") && $0.status == 200 })
    }

    @Test func `a wrong address, maintenance and a page to sign in are errors with a sentence`() async throws {
        try await server.order("set", ["maintenance": true])
        await #expect(throws: DAVSetUpError.self) { _ = try await setUp(domain, ["url": server.address.description]) }
        await #expect(throws: DAVSetUpError.self) { _ = try await setUp(domain, ["url": "http://127.0.0.1:1"]) }
        try await server.order("set", ["maintenance": false])
        try await server.order("fault", ["path": "status", "html": true])
        await #expect(throws: DAVSetUpError.self) { _ = try await setUp(domain, ["url": server.address.description]) }
    }
}
