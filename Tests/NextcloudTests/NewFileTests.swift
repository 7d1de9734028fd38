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

/// New files that are created at the same time, which the provider uploads together.
struct NewFileTests {
    private let server: NextcloudTestServer
    private let domain: NextcloudDomain

    init() async throws {
        server = try await NextcloudTestServer()
        domain = try NextcloudDomain.signedIn(server.address)
        _ = try await domain.list()
        // The probe of the server is not what is counted.
        _ = try await domain.create("first.txt", [1])
        try await server.order("requests", ["forget": true])
    }

    private static let names = (0..<60).map { "file \($0) ü#+%.txt" }

    private static func contents(_ name: String) -> [UInt8] { Array("The contents of \(name).".utf8) }

    /// Creates files at the same time.
    ///
    /// - Returns: the items, and the errors of the others, by name.
    private func createAll(
        _ names: [String], in folder: NSFileProviderItemIdentifier = .rootContainer
    ) async -> (made: [String: SeenItem], failed: [String: any Error]) {
        await withTaskGroup(of: (String, Result<SeenItem, any Error>).self) { group in
            for name in names {
                group.addTask { [domain] in
                    do {
                        return (name, .success(try await domain.create(name, Self.contents(name), in: folder)))
                    } catch {
                        return (name, .failure(error))
                    }
                }
            }
            var (made, failed): ([String: SeenItem], [String: any Error]) = ([:], [:])
            for await (name, result) in group {
                switch result {
                case .success(let item): made[name] = item
                case .failure(let error): failed[name] = error
                }
            }
            return (made, failed)
        }
    }

    private func bulkRequests() async throws -> [(path: String, status: Int, headers: [String: String])] {
        try await server.requests("POST").filter { $0.path.hasSuffix("/bulk") }
    }

    private func requireAll(_ names: [String], in folder: String = "") async throws {
        for name in names {
            let text = try await server.show(folder + name)["text"] as? String
            #expect(
                text.map { Array($0.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }) }
                    == Self.contents(name))
        }
    }

    @Test func `many small new files are sent in few requests`() async throws {
        try await server.order("mkdir", ["user": "alice", "path": "Folder"])
        let folder = try #require(try await domain.list().first { $0.name == "Folder" })
        let (made, failed) = await createAll(Self.names, in: folder.identifier)
        #expect(failed.isEmpty && made.count == Self.names.count)
        try await requireAll(Self.names, in: "Folder/")
        let bulk = try await bulkRequests().count
        let single = try await server.requests("PUT").count
        #expect(bulk > 0 && bulk + single < Self.names.count / 2)
        // A listing agrees with what was reported, so nothing is fetched again.
        let listed = try await domain.list(folder.identifier)
        #expect(listed.count == Self.names.count)
        for item in listed {
            let known = try #require(made[item.name])
            #expect(known.identifier == item.identifier && known.version == item.version)
            #expect(known.capabilities == item.capabilities && known.size == item.size)
        }
    }

    @Test func `a file whose name is taken meanwhile is not overwritten`() async throws {
        let (theirs, same) = (Self.names[7], Self.names[9])
        try await server.write(theirs, "theirs")
        try await server.write(same, String(decoding: Self.contents(same), as: UTF8.self))
        let (made, failed) = await createAll(Self.names)
        #expect(Set(failed.keys) == [theirs])
        let code = (failed[theirs] as NSError?)?.code
        #expect(code == NSFileProviderError.Code.filenameCollision.rawValue)
        // Equal contents are no conflict.
        #expect(made[same] != nil)
        #expect(try await server.show(theirs)["text"] as? String == "theirs")
        try await requireAll(Self.names.filter { $0 != theirs })
    }

    @Test func `a file that the server leaves out of its reply is sent alone`() async throws {
        try await server.order(
            "fault",
            [
                "path": "/bulk", "status": 200, "times": -1, "body": "{}",
                "headers": ["Content-Type": "application/json"],
            ])
        let (made, failed) = await createAll(Self.names)
        #expect(failed.isEmpty && made.count == Self.names.count)
        try await requireAll(Self.names)
        #expect(try await server.requests("PUT").count == Self.names.count)
    }

    @Test(arguments: ["before", "after"])
    func `a lost reply loses no file and doubles none`(drop: String) async throws {
        try await server.order("fault", ["path": "/bulk", "times": -1, "drop": drop])
        let (made, failed) = await createAll(Self.names)
        #expect(failed.isEmpty && made.count == Self.names.count)
        try await requireAll(Self.names)
        #expect(try await domain.list().count == Self.names.count + 1)
    }

    @Test func `a server that refuses such requests is not asked again`() async throws {
        try await server.order("fault", ["path": "/bulk", "times": -1, "status": 405])
        #expect(await createAll(Self.names).failed.isEmpty)
        let asked = try await bulkRequests().count
        #expect(await createAll(Self.names.map { "more " + $0 }).failed.isEmpty)
        #expect(asked > 0 && asked <= 2)
        #expect(try await bulkRequests().count == asked)
    }

    @Test func `a server without this ability gets each file alone`() async throws {
        try await server.order("set", ["capabilities": ["dav": ["chunking": "1.0"]]])
        let other = try NextcloudDomain.signedIn(server.address, after: domain)
        _ = try await other.list()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for name in Self.names {
                group.addTask { _ = try await other.create(name, Self.contents(name)) }
            }
            try await group.waitForAll()
        }
        try await requireAll(Self.names)
        #expect(try await bulkRequests().isEmpty)
    }
}
