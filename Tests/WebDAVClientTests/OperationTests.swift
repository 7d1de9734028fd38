import CloudTesting
import FileTesting
import HTTPTransport
import LinuxSystem
import Testing
import WebDAVClient

struct OperationTests {
    @Test(arguments: CloudServer.installed)
    func `each operation does its work`(name: String) async throws {
        try await CloudServer.with(name) { server in
            let client = server.client
            let (root, _) = try await client.examine(server.root)
            let folder = try root.address.appending(Self.folder(for: name)).asDirectory
            try await client.makeDirectory(folder)
            let file = try folder.appending("a ü%.txt")

            _ = try await client.put(.text("0123456789"), to: file, if: DAVRequirements(resource: .absent))
            let entry = try await client.entry(at: file)
            #expect(entry.name == "a ü%.txt")
            #expect(entry.length == 10)
            #expect(!entry.isDirectory)
            let listing = try await client.list(folder)
            #expect(try await listing.all().map(\.name) == ["a ü%.txt"])
            #expect(await listing.directory?.isDirectory == true)

            let contents = try await client.get(file, to: .memory(limit: 100))
            #expect(contents.bytes == Array("0123456789".utf8))
            let part = try await client.get(file, range: HTTPByteRange(2..<5), to: .memory(limit: 100))
            #expect(part.bytes == Array("234".utf8))

            let copy = try folder.appending("copy.txt")
            if name != "xandikos" {
                try await client.copy(file, to: copy, if: DAVRequirements(destination: .absent))
                let moved = try folder.appending("moved.txt")
                try await client.move(copy, to: moved, if: DAVRequirements(destination: .absent))
                #expect(try await client.get(moved, to: .memory(limit: 100)).bytes == contents.bytes)
                guard case .notFound = await failure({ _ = try await client.entry(at: copy) }) else {
                    throw UnexpectedError(error: nil)
                }
                let other = try root.address.appending("other").asDirectory
                try await client.move(folder, to: other, if: DAVRequirements(destination: .absent))
                #expect(try await Set(client.list(other).all().map(\.name)) == ["a ü%.txt", "moved.txt"])
                try await client.deleteTree(other)
            } else {
                try await client.delete(file)
                try await client.delete(folder)
            }
            let rest = try await client.list(root.address).all().map(\.name)
            #expect(!rest.contains(Self.folder(for: name)) && !rest.contains("other"))
        }
    }

    /// The name of the folder for a server. xandikos lists wrong addresses in a folder whose name has special
    /// characters.
    private static func folder(for name: String) -> String { name == "xandikos" ? "folder" : "folder #1" }

    @Test(arguments: CloudServer.installed.filter { !["nextcloud", "xandikos", "copyparty"].contains($0) })
    func `a lock keeps others out, is prolonged, and ends`(name: String) async throws {
        try await CloudServer.with(name) { server in
            let client = server.client
            let file = try server.root.appending("locked.txt")
            _ = try await client.put(.text("one"), to: file)
            let lock = try await client.lock(file, owner: "Ada & co")
            let error = await failure { _ = try await client.put(.text("two"), to: file) }
            guard case .locked = error else { throw UnexpectedError(error: error) }
            _ = try await client.refresh(lock)
            _ = try await client.put(.text("three"), to: file, if: DAVRequirements(locks: [lock]))
            try await client.unlock(lock)
            _ = try await client.put(.text("four"), to: file)
            #expect(try await client.get(file, to: .memory(limit: 100)).bytes == Array("four".utf8))
        }
    }

    @Test(
        arguments: CloudServer.installed.filter {
            ["nextcloud", "apache", "lighttpd", "wsgidav", "sabre"].contains($0)
        })
    func `a server that honours conditions protects the file`(name: String) async throws {
        try await CloudServer.with(name) { server in
            let client = server.client
            let file = try server.root.appending("file.txt")
            _ = try await client.put(.text("one"), to: file)
            let stale = try #require(DAVEntityTag(opaque: "stale"))
            let writing = await failure {
                _ = try await client.put(.text("two"), to: file, if: DAVRequirements(resource: .tag(stale)))
            }
            #expect(writing == .requirementFailed(file.path))
            let creating = await failure {
                _ = try await client.put(.text("two"), to: file, if: DAVRequirements(resource: .absent))
            }
            #expect(creating == .requirementFailed(file.path))
            #expect(try await client.get(file, to: .memory(limit: 100)).bytes == Array("one".utf8))
        }
    }

    @Test(arguments: CloudServer.installed.filter { !["seaweedfs", "xandikos"].contains($0) })
    func `a wrong password and a path that does not exist are recognized`(name: String) async throws {
        try await CloudServer.with(name) { server in
            let missing = try server.root.appending("missing").asDirectory
            let path = String(missing.path.dropLast())
            #expect(await failure { _ = try await server.client.examine(missing) } == .notFound(path))
            var client = server.client
            client.credentials = .basic(user: "alice", password: "wrong")
            #expect(await failure { _ = try await client.examine(server.root) } == .notSignedIn(server.root.origin))
        }
    }

    @Test(arguments: ["nextcloud", "nginx"])
    func `large files go from and to descriptors`(name: String) async throws {
        try await CloudServer.with(name) { server in
            let folder = try TestFolder()
            let bytes = pattern(3 << 20)
            let source = try folder.file("source", bytes)
            let file = try server.root.appending("large.bin")
            _ = try await server.client.put(.file(source, offset: 0, count: bytes.count), to: file)
            let target = try folder.file("target")
            let contents = try await server.client.get(file, to: .file(target, offset: 0))
            #expect(contents.count == bytes.count)
            #expect(try folder.content("target") == bytes)
            let range = HTTPByteRange(1_000_000..<1_000_100)
            let part = try await server.client.get(file, range: range, to: .memory(limit: 1_000))
            #expect(part.bytes == Array(bytes[1_000_000..<1_000_100]))
            let error = await failure {
                _ = try await server.client.get(file, range: HTTPByteRange(from: 9 << 20), to: .nowhere)
            }
            guard case .pastEnd = error else { throw UnexpectedError(error: error) }
        }
    }
}
