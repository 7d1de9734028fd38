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
}
