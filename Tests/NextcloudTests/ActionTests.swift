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

/// Actions with a reply to the user.
struct ActionTests {
    private let server: NextcloudTestServer
    private let domain: NextcloudDomain

    init() async throws {
        server = try await NextcloudTestServer()
        domain = try NextcloudDomain.signedIn(server.address)
        try await server.write("a ü.txt", "one")
    }

    private func item(_ name: String = "a ü.txt") async throws -> SeenItem {
        try #require(try await domain.list().first { $0.name == name })
    }

    @Test func `a link is made once, and opens the file without an account`() async throws {
        let file = try await item()
        let reply = try await domain.perform(NextcloudExtension.copyLink, on: file)
        let link = try #require(reply.link)
        #expect(!reply.opensLink && reply.lines.isEmpty)
        let path = try #require(URLComponents(url: link, resolvingAgainstBaseURL: false)?.path)
        let page = try await server.browse(.get, String(path.dropFirst()))
        #expect(page.isSuccess)
        #expect(try await domain.perform(NextcloudExtension.copyLink, on: file).link == link)
    }

    @Test func `a link that needs a password is refused with a reason`() async throws {
        let sharing: [String: any Sendable] = [
            "api_enabled": true, "public": ["enabled": true, "password": ["enforced": true]] as [String: any Sendable],
        ]
        try await server.order("set", ["capabilities": ["files_sharing": sharing]])
        let file = try await item()
        let error = await #expect(throws: (any Error).self) {
            try await domain.perform(NextcloudExtension.copyLink, on: file)
        }
        #expect(error?.localizedDescription.contains("password") == true)
    }

    @Test func `an item is shared with another user`() async throws {
        try await server.order("user", ["user": "bob", "password": "secret", "display": "Bob"])
        let file = try await item()
        let reply = try await domain.perform(NextcloudExtension.shareWith, on: file, input: "bob")
        #expect(reply.lines.count == 1 && reply.lines[0].lowercased().contains("bob"))
        let theirs = try server.client(user: "bob")
        #expect(try await theirs.files.list(theirs.root).all().map(\.name) == ["a ü.txt"])
        await #expect(throws: (any Error).self) {
            try await domain.perform(NextcloudExtension.shareWith, on: file, input: "nobody")
        }
        await #expect(throws: (any Error).self) {
            try await domain.perform(NextcloudExtension.shareWith, on: file, input: " ")
        }
    }

    @Test func `the server's page of an item is opened`() async throws {
        let file = try await item()
        let number = try #require(try await server.show(file.name)["id"] as? Int)
        let reply = try await domain.perform(NextcloudExtension.openInBrowser, on: file)
        #expect(reply.opensLink)
        #expect(reply.link?.absoluteString == "\(server.address)index.php/f/\(number)")
    }

    @Test func `versions are listed, the latest first`() async throws {
        let now = Int(Date().timeIntervalSince1970)
        for (index, text) in ["1", "22", "333"].enumerated() {
            try await server.order(
                "write", ["user": "alice", "path": "b.txt", "text": text, "mtime": now - 3_000 + index * 1_000])
        }
        let reply = try await domain.perform(NextcloudExtension.showVersions, on: try await item("b.txt"))
        #expect(reply.lines.count == 3)
        for (line, size) in zip(reply.lines, [3, 2, 1]) { #expect(line.contains("\(size) bytes")) }
        #expect(reply.lines.first?.contains("the present contents") == true)
    }

    @Test func `items of which the user may not share say so`() async throws {
        try await server.order("mount", ["user": "alice", "path": "Read", "kind": "group", "rights": 1])
        #expect(try await item().details["isShareable"] == "true")
        #expect(try await item("Read").details["isShareable"] == nil)
    }
}
