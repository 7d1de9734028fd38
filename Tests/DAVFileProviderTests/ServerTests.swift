import CloudTesting
import FileProvider
import FileTesting
import Foundation
import HTTPTransport
import Testing
import WebDAVClient

/// Tests of the provider with each server.
struct ServerTests {
    @Test(arguments: CloudServer.installed)
    func `items keep their identifiers through each operation`(name: String) async throws {
        try await CloudServer.with(name) { server in
            let domain = try TestDomain(server.root)
            #expect(try await domain.list().filter { !$0.isFolder && $0.name.hasSuffix(".txt") }.isEmpty)
            let folder = try await domain.create("Folder", nil)
            let made = try await domain.create("a ü%.txt", "one", in: folder.identifier)
            #expect(made.name == "a ü%.txt")
            #expect(made.size == 3)
            #expect(try await domain.fetch(made.identifier).text == "one")
            let written = try await domain.write("second", to: made)
            #expect(written.identifier == made.identifier)
            #expect(written.version != made.version)
            #expect(try await domain.fetch(made.identifier).text == "second")
            let moved = try await domain.move(written, to: "b.txt", in: .rootContainer)
            #expect(moved.identifier == made.identifier)
            #expect(moved.parent == .rootContainer)
            // Some servers give a moved file another version, which is no change of another client.
            let both = try await domain.write("both", to: moved, renamedTo: "c.txt")
            #expect(both.identifier == made.identifier)
            #expect(try await domain.fetch(made.identifier).text == "both")
            let renamed = try await domain.move(folder, to: "Other")
            #expect(renamed.identifier == folder.identifier)
            let listed = try await domain.list()
            #expect(Set(listed.map(\.identifier)).isSuperset(of: [made.identifier, folder.identifier]))
            let current = try await domain.item(made.identifier)
            #expect(current.version == both.version)
            try await domain.remove(current)
            try await domain.remove(renamed)
            #expect(await failure { _ = try await domain.item(made.identifier) } == .noSuchItem)
            let rest = try await server.client.list(server.root).all().map(\.name)
            #expect(!rest.contains("b.txt") && !rest.contains("c.txt") && !rest.contains("Other"))
        }
    }

    @Test(arguments: CloudServer.installed)
    func `another client's change between fetch and write survives`(name: String) async throws {
        try await CloudServer.with(name) { server in
            let domain = try TestDomain(server.root)
            let address = try server.root.appending("shared.txt")
            let made = try await domain.create("shared.txt", "one")
            let (item, text) = try await domain.fetch(made.identifier)
            #expect(text == "one")
            // The contents get the same size, perhaps within the same second.
            _ = try await server.client.put(.text("two"), to: address)
            let conflict = await failure { _ = try await domain.write("own", to: item) }
            #expect(conflict == .localVersionConflictingWithServer)
            #expect(try await contents(address, server) == "two")
            // The contents get another size.
            let (later, _) = try await domain.fetch(made.identifier)
            _ = try await server.client.put(.text("longer"), to: address)
            #expect(
                await failure { _ = try await domain.write("own", to: later) } == .localVersionConflictingWithServer)
            #expect(try await contents(address, server) == "longer")
            // The same bytes on both sides are no conflict.
            let merged = try await domain.write("longer", to: later)
            #expect(merged.size == 6)
            _ = try await domain.write("at last", to: merged)
            #expect(try await contents(address, server) == "at last")
        }
    }

    @Test(arguments: CloudServer.installed)
    func `a removal and a new file of the same name spare another client's`(name: String) async throws {
        try await CloudServer.with(name) { server in
            let domain = try TestDomain(server.root)
            let made = try await domain.create("removed.txt", "one")
            let address = try server.root.appending("removed.txt")
            _ = try await server.client.put(.text("another"), to: address)
            #expect(await failure { try await domain.remove(made) } == .deletionRejected)
            #expect(try await contents(address, server) == "another")
            let taken = try server.root.appending("taken.txt")
            _ = try await server.client.put(.text("first"), to: taken)
            #expect(await failure { _ = try await domain.create("taken.txt", "own") } == .filenameCollision)
            #expect(try await contents(taken, server) == "first")
            #expect(try await domain.create("taken.txt", "first").size == 5)
            #expect(await failure { _ = try await domain.move(made, to: "taken.txt") } == .filenameCollision)
            #expect(try await contents(taken, server) == "first")
            let folder = try await domain.create("Folder", nil)
            let inner = try server.root.appending("Folder").asDirectory.appending("new.txt")
            _ = try await server.client.put(.text("new"), to: inner)
            #expect(await failure { try await domain.remove(folder) } == .directoryNotEmpty)
            #expect(try await contents(inner, server) == "new")
            #expect(await failure { try await domain.remove(folder, isRecursive: true) } == .directoryNotEmpty)
            _ = try await domain.list(folder.identifier)
            try await domain.remove(folder, isRecursive: true)
        }
    }

    @Test(arguments: CloudServer.installed)
    func `changes of other clients are found`(name: String) async throws {
        try await CloudServer.with(name) { server in
            let domain = try TestDomain(server.root)
            let kept = try await domain.create("kept.txt", "one")
            let gone = try await domain.create("gone.txt", "gone")
            let folder = try await domain.create("Folder", nil)
            _ = try await domain.list()
            _ = try await domain.list(folder.identifier)
            let anchor = try await domain.anchor()
            let client = server.client
            _ = try await client.put(.text("changed"), to: server.root.appending("kept.txt"))
            _ = try await client.put(.text("new"), to: server.root.appending("Folder").asDirectory.appending("new.txt"))
            try await client.delete(server.root.appending("gone.txt"))
            #expect(try await domain.look())
            let changes = try await domain.changes(since: anchor)
            #expect(changes.deleted == [gone.identifier])
            #expect(changes.updated.first { $0.identifier == kept.identifier }?.size == 7)
            #expect(changes.updated.first { $0.name == "new.txt" }?.parent == folder.identifier)
            // This is an anchor of another catalogue.
            let other = NSFileProviderSyncAnchor(Data("other.1".utf8))
            #expect(await failure { _ = try await domain.changes(since: other) } == .syncAnchorExpired)
        }
    }

    @Test(arguments: CloudServer.sample(["nginx", "apache"]))
    func `items that the server does not list stay until it has them no more`(name: String) async throws {
        try await CloudServer.with(name) { server in
            let domain = try TestDomain(server.root)
            let client = server.client
            let file = try await domain.create(".hidden", "one")
            let folder = try await domain.create(".folder", nil)
            let inner = try await domain.create(".inner", "two", in: folder.identifier)
            for _ in 0..<2 {
                let listed = try await domain.list()
                #expect(Set(listed.map(\.identifier)).isSuperset(of: [file.identifier, folder.identifier]))
                #expect(try await domain.list(folder.identifier).map(\.identifier) == [inner.identifier])
                try await domain.look()
            }
            let anchor = try await domain.anchor()
            let address = try server.root.appending(".hidden")
            _ = try await client.put(.text("of another client"), to: address)
            #expect(try await domain.look())
            #expect(try await domain.changes(since: anchor).updated.map(\.size) == [17])
            let (base, text) = try await domain.fetch(file.identifier)
            #expect(text == "of another client")
            let written = try await domain.write("own", to: base)
            #expect(try await domain.list().first { $0.identifier == file.identifier }?.version == written.version)
            try await client.delete(address)
            try await client.deleteTree(server.root.appending(".folder").asDirectory)
            #expect(try await domain.look())
            #expect(Set(try await domain.changes(since: anchor).deleted) == [file.identifier, folder.identifier])
            #expect(try await domain.list().filter { $0.name.hasPrefix(".") }.isEmpty)
        }
    }

    /// Servers whose conditions or locks always protect another client's write. nginx and WsgiDAV are not among them:
    /// they check for locks and compare conditions when a PUT begins, and not when its body has arrived.
    @Test(arguments: CloudServer.installed.filter { ["nextcloud", "rclone", "seaweedfs"].contains($0) })
    func `a write of another client at the same time is not overwritten`(name: String) async throws {
        try await CloudServer.with(name) { server in
            let domain = try TestDomain(server.root)
            let address = try server.root.appending("shared.txt")
            let made = try await domain.create("shared.txt", "first")
            for round in 0..<TestSample.count(4, of: 12) {
                let (own, other) = ("own \(round), of some length", "other \(round)")
                let base = try await domain.fetch(made.identifier).item
                async let written = domain.write(own, to: base)
                // The request is refused while the provider holds a lock on the file.
                let isDone = (try? await server.client.put(.text(other), to: address)) != nil
                let result = try? await written
                let now = try await contents(address, server)
                // The other client sends no conditions, so it may overwrite the provider's contents.
                if isDone {
                    #expect(now == other, "\(round)")
                } else if result != nil {
                    #expect(now == own, "\(round)")
                }
            }
        }
    }

    private func contents(_ address: HTTPAddress, _ server: CloudServer) async throws -> String {
        String(decoding: try await server.client.get(address, to: .memory(limit: 1 << 20)).bytes, as: UTF8.self)
    }
}

/// Returns the code of the error that a function throws; `nil` without one, or with another kind of error.
func failure(_ body: () async throws -> Void) async -> NSFileProviderError.Code? {
    do {
        try await body()
        return nil
    } catch {
        let error = error as NSError
        // Other errors fail the expectation. The warning shows their text.
        if error.domain != NSFileProviderErrorDomain { Issue.record("\(error)", severity: .warning) }
        return error.domain == NSFileProviderErrorDomain ? NSFileProviderError.Code(rawValue: error.code) : nil
    }
}
