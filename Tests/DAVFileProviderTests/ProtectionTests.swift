import CloudTesting
import DAVFileProvider
import FileProvider
import Foundation
import HTTPTransport
import LinuxSystem
import Testing
import WebDAVClient

/// Changes at the server and in the provider that occur between the steps of a write.
struct ProtectionTests {
    private let settings = ["authentication": "basic"]

    @Test func `a listing during a write does not keep the old version`() async throws {
        let server = try await CloudServer("nextcloud")
        let service = InterruptedService()
        let domain = try TestDomain(server.root, settings: settings, service: service)
        let made = try await domain.create("a.txt", "one")
        service.interrupt { _ in _ = try? await domain.list() }
        let written = try await domain.write("second", to: made)
        #expect(written.size == 6)
        #expect(try await domain.write("the third", to: written).size == 9)
    }

    @Test(arguments: CloudServer.sample(["nextcloud", "nginx", "copyparty"]))
    func `another client's write just before an upload survives`(name: String) async throws {
        try await CloudServer.with(name) { server in
            let service = InterruptedService()
            let domain = try TestDomain(server.root, service: service)
            let (client, address) = (server.client, try server.root.appending("a.txt"))
            let other = Lock("")
            func interrupt(_ text: String) {
                other.withLock { $0 = "" }
                service.interrupt { _ throws(DAVError) in
                    // Refused while the provider has locked the file.
                    guard (try? await client.put(.text(text), to: address)) != nil else { return }
                    other.withLock { $0 = text }
                }
            }
            /// Checks that the file has the contents that were written last.
            func check(_ own: String, _ made: Seen?) async throws {
                let theirs = other.withLock { $0 }
                let now = String(decoding: try await client.get(address, to: .memory(limit: 100)).bytes, as: UTF8.self)
                #expect(now == (theirs.isEmpty ? own : theirs), "\(name)")
                #expect((made == nil) == !theirs.isEmpty, "\(name)")
            }
            interrupt("theirs")
            try await check("first", try? await domain.create("a.txt", "first"))
            for text in ["write", "again"] {
                // The other client's contents have the same size.
                let listed = try #require(try await domain.list().first { $0.name == "a.txt" })
                let base = try await domain.fetch(listed.identifier).item
                interrupt(String(text.reversed()))
                try await check(text, try? await domain.write(text, to: base))
            }
            // Nothing is left of a file's own but the file.
            let rest = try await client.list(server.root).all().map(\.name)
            #expect(rest.filter { $0.hasPrefix(".purvey") }.isEmpty)
        }
    }

    @Test(arguments: ["nginx", "apache", "nextcloud"])
    func `another client's write just after an upload is not taken for it`(name: String) async throws {
        try await CloudServer.with(name) { server in
            let service = InterruptedService()
            let domain = try TestDomain(server.root, service: service)
            let client = server.client
            let other: InterruptedService.Event = { upload throws(DAVError) in
                // Refused while the provider has locked the file.
                _ = try? await client.put(.text("other"), to: upload.address)
            }
            service.interruptAfter(other)
            var made = try? await domain.create("a.txt", "first")
            for text in ["write", "again"] {
                // The same size.
                let address = try server.root.appending("a.txt")
                let now = try await client.get(address, to: .memory(limit: 100))
                let isOwn = !String(decoding: now.bytes, as: UTF8.self).hasPrefix("other")
                #expect(isOwn == (made != nil))
                let base = try #require(try await domain.list().first { $0.name == "a.txt" })
                let fetched = try await domain.fetch(base.identifier).item
                service.interruptAfter(other)
                made = try? await domain.write(text, to: fetched)
            }
        }
    }

    @Test(arguments: CloudServer.installed.filter { ["nginx", "rclone"].contains($0) })
    func `large contents are compared with those that an edit is based on`(name: String) async throws {
        try await CloudServer.with(name) { server in
            let domain = try TestDomain(server.root)
            // The digest of such a file is computed after the reply.
            let first = String(repeating: "first ", count: 2 << 20)
            let made = try await domain.create("large.txt", first)
            let written = try await domain.write(String(repeating: "again ", count: 2 << 20), to: made)
            #expect(written.size == first.utf8.count)
            let fetched = try await domain.fetch(made.identifier).item
            // The same size, and perhaps the same second.
            let address = try server.root.appending("large.txt")
            _ = try await server.client.put(.text(String(repeating: "other ", count: 2 << 20)), to: address)
            let conflict = await failure { _ = try await domain.write(first, to: fetched) }
            #expect(conflict == .localVersionConflictingWithServer)
            let now = try await server.client.get(address, range: HTTPByteRange(0..<6), to: .memory(limit: 6))
            #expect(String(decoding: now.bytes, as: UTF8.self) == "other ")
        }
    }

    @Test(arguments: ["nginx", "apache"])
    func `a failed upload under a lock leaves no empty file`(name: String) async throws {
        try await CloudServer.with(name) { server in
            let service = InterruptedService()
            let domain = try TestDomain(server.root, service: service)
            let origin = server.root.origin
            service.interrupt { _ throws(DAVError) in throw .noSpace(origin) }
            #expect(await failure { _ = try await domain.create("a.txt", "one") } == .insufficientQuota)
            #expect(try await !server.client.list(server.root).all().contains { $0.name == "a.txt" })
            #expect(try await domain.create("a.txt", "one").size == 3)
        }
    }

    @Test func `a server is probed in a folder that can be written`() async throws {
        let server = try await CloudServer("nextcloud")
        try await server.order("mkdir", ["user": "alice", "path": "Folder"])
        try await server.order(
            "fault", ["method": "MKCOL", "path": "alice/.purvey-probe-", "status": 403, "times": -1])
        let domain = try TestDomain(server.root, settings: settings)
        let folder = try #require(try await domain.list().first { $0.name == "Folder" })
        #expect(!domain.provider.domainFindings.contains { $0.hasPrefix("Writes are protected by") })
        _ = try await domain.create("a.txt", "one", in: folder.identifier)
        #expect(domain.provider.domainFindings.contains { $0.hasPrefix("Writes are protected by") })
    }

    @Test func `a server that cannot be probed gets conditions`() async throws {
        let server = try await CloudServer("nextcloud")
        try await server.order("fault", ["method": "MKCOL", "path": "purvey-probe-", "status": 403, "times": -1])
        let service = InterruptedService()
        let domain = try TestDomain(server.root, settings: settings, service: service)
        let made = try await domain.create("a.txt", "one")
        let client = server.client
        service.interrupt { upload throws(DAVError) in _ = try await client.put(.text("another"), to: upload.address) }
        #expect(await failure { _ = try await domain.write("own", to: made) } == .localVersionConflictingWithServer)
        service.interrupt { upload throws(DAVError) in _ = try await client.put(.text("another"), to: upload.address) }
        #expect(await failure { _ = try await domain.create("b.txt", "own") } == .filenameCollision)
        for name in ["a.txt", "b.txt"] {
            let contents = try await client.get(server.root.appending(name), to: .memory(limit: 100))
            #expect(String(decoding: contents.bytes, as: UTF8.self) == "another")
        }
    }
}
