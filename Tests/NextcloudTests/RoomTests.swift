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

/// The user's quota at the server.
struct RoomTests {
    private let server: NextcloudTestServer
    private let domain: NextcloudDomain

    init() async throws {
        server = try await NextcloudTestServer()
        domain = try NextcloudDomain.signedIn(server.address)
        _ = try await domain.list()
    }

    private var provider: NextcloudExtension { domain.provider }

    private func bytes(_ key: String) -> Int? { (provider.userInfo[key] as? NSNumber)?.intValue }

    @Test func `the room is a part of the domain's state, with a version`() async throws {
        try await server.write("a.txt", "0123456789")
        try await server.order("quota", ["user": "alice", "bytes": 1_000])
        let before = provider.domainVersion
        try await domain.look()
        #expect(bytes(NSFileProviderDomain.quotaAvailableKey) == 990)
        #expect(bytes(NSFileProviderDomain.quotaUsedKey) == 10)
        let first = provider.domainVersion
        #expect(first > before)
        // It stays known, with its version, in the next process.
        let next = try NextcloudDomain.signedIn(server.address, after: domain)
        #expect(next.provider.domainVersion == first)
        #expect((next.provider.userInfo[NSFileProviderDomain.quotaAvailableKey] as? NSNumber)?.intValue == 990)
        try await server.order("quota", ["user": "alice", "bytes": 2_000])
        try await next.look()
        #expect(next.provider.domainVersion > first)
    }

    @Test func `without a limit only the used bytes are known`() async throws {
        try await server.write("a.txt", "0123456789")
        try await domain.look()
        #expect(bytes(NSFileProviderDomain.quotaAvailableKey) == nil)
        #expect(bytes(NSFileProviderDomain.quotaUsedKey) == 10)
    }

    @Test func `an upload beyond the room waits until there is more`() async throws {
        // The probe of the server needs room, too.
        _ = try await domain.create("first.txt", [1])
        try await server.order("quota", ["user": "alice", "bytes": 1])
        let error = await #expect(throws: NSFileProviderError.self) {
            _ = try await domain.create("a.txt", Array("0123456789abc".utf8))
        }
        #expect(error?.code == .insufficientQuota)
        try await domain.look()
        let room = try provider.account.room
        #expect(room.isDue)
        try await domain.look()
        #expect(room.isDue)
        try await server.order("quota", ["user": "alice", "bytes": 1_000_000])
        try await domain.look()
        // The system was told to send again.
        #expect(!room.isDue)
        #expect(try await domain.create("a.txt", Array("0123456789abc".utf8)).size == 13)
    }
}
