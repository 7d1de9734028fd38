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

/// Requests that the provider itself refuses, because the server would permit them.
struct RightsTests {
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

    @Test func `the top of a share is neither removed nor put into the trash`() async throws {
        try await server.order("mount", ["user": "alice", "path": "Team", "kind": "group", "rights": 31])
        let team = try await item("Team")
        #expect(team.details["isMountRoot"] == "true" && team.details["mount"] == "group")
        await #expect(throws: (any Error).self) { try await domain.remove(team) }
        await #expect(throws: (any Error).self) {
            _ = try await domain.move(team, to: "Team", in: .trashContainer)
        }
        #expect(try await server.requests("DELETE").allSatisfy { !$0.path.hasSuffix("/Team/") })
        #expect(try await server.show("Team")["exists"] as? Bool == true)
    }

    @Test func `a folder with a share in it stays`() async throws {
        try await server.order("mkdir", ["user": "alice", "path": "Outer/Inner"])
        try await server.order("mount", ["user": "alice", "path": "Outer/Inner/Team", "kind": "group", "rights": 31])
        let outer = try await item("Outer")
        let inner = try await item("Inner", in: outer.identifier)
        _ = try await domain.list(inner.identifier)
        await #expect(throws: (any Error).self) {
            _ = try await domain.move(outer, to: "Outer", in: .trashContainer)
        }
        #expect(try await server.show("Outer/Inner/Team")["exists"] as? Bool == true)
    }

    @Test func `nothing is written into an encrypted folder`() async throws {
        try await server.order("mkdir", ["user": "alice", "path": "Vault"])
        try await server.write("Vault/0123abcd", "sealed")
        try await server.write("a.txt", "one")
        try await server.order("encrypt", ["user": "alice", "path": "Vault"])
        let (vault, file) = (try await item("Vault"), try await item("a.txt"))
        let sealed = try await item("0123abcd", in: vault.identifier)
        try await server.order("requests", ["forget": true])
        await #expect(throws: (any Error).self) { _ = try await domain.create("b.txt", [1], in: vault.identifier) }
        await #expect(throws: (any Error).self) { _ = try await domain.create("Sub", nil, in: vault.identifier) }
        await #expect(throws: (any Error).self) { _ = try await domain.write([1], to: sealed) }
        await #expect(throws: (any Error).self) { try await domain.remove(sealed) }
        await #expect(throws: (any Error).self) {
            _ = try await domain.move(file, to: "a.txt", in: vault.identifier)
        }
        await #expect(throws: (any Error).self) {
            _ = try await domain.move(sealed, to: "0123abcd", in: .rootContainer)
        }
        for method in ["PUT", "POST", "MKCOL", "MOVE", "DELETE"] {
            #expect(try await server.requests(method).isEmpty)
        }
    }

    @Test func `shares of others are shown as shared, with their owner`() async throws {
        try await server.order("user", ["user": "bob", "password": "secret", "display": "Bob"])
        try await server.order("mkdir", ["user": "bob", "path": "Shared"])
        try await server.order("write", ["user": "bob", "path": "Shared/a.txt", "text": "of bob"])
        let theirs = try server.client(user: "bob")
        _ = try await theirs.share(try theirs.root.appending("Shared").asDirectory, with: "alice")
        let shared = try await item("Shared")
        #expect(shared.isShared && shared.details["isMountRoot"] == "true")
        #expect(shared.details["owner"]?.lowercased() == "bob")
        #expect(!shared.capabilities.contains(.allowsDeleting))
        let file = try await item("a.txt", in: shared.identifier)
        #expect(file.isShared && file.details["isMountRoot"] == nil)
    }
}
