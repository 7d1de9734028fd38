import CloudTesting
import Foundation
import HTTPTransport
import Testing
import WebDAVClient

struct ProbeTests {
    /// The servers and their names in Documentation/WebDAV.md.
    private static let titles = [
        "nextcloud": "Nextcloud (of the tests)", "nginx": "nginx 1.22 with dav-ext 3.0", "apache": "Apache 2.4.71",
        "lighttpd": "lighttpd 1.4.69", "rclone": "rclone 1.75.2", "rclone-debian": "rclone 1.60.1",
        "wsgidav": "WsgiDAV 4.4.0", "sabre": "sabre/dav 1.8.12", "seaweedfs": "SeaweedFS 4.48",
        "copyparty": "copyparty 1.20.26", "xandikos": "xandikos 0.4.10",
    ]

    @Test(arguments: CloudServer.installed)
    func `the probe finds what the documentation says of a server, and leaves nothing`(name: String) async throws {
        let document = try String(contentsOf: Self.document, encoding: .utf8).split(separator: "\n")
        let title = try #require(Self.titles[name])
        try await CloudServer.with(name) { server in
            let profile = try await server.client.probe(server.root)
            for row in [ServerTable.protection(profile), ServerTable.behaviour(profile)] {
                let line = "| \(title) | \(row) |"
                #expect(document.contains { $0.hasPrefix(line) }, "Documentation/WebDAV.md needs the line \(line)")
            }
            // Its tags are those of the date and the size, and it takes the date.
            if name == "rclone" { #expect(profile.distinguishesQuickChanges == false) }
            #expect(profile.listsHiddenFiles == (name != "nginx"))
            #expect(profile.remains == nil)
            let rest = try await server.client.list(server.root).all().map(\.name)
            #expect(rest.allSatisfy { !$0.hasPrefix(".purvey") })
            #expect(profile.findings.allSatisfy { !$0.contains("\n") && $0.count < 120 })
            let coded = try JSONEncoder().encode(profile)
            #expect(try JSONDecoder().decode(DAVServerProfile.self, from: coded) == profile)
        }
    }

    private static let document = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Documentation/WebDAV.md")

    @Test func `a probe that is cancelled removes its directory`() async throws {
        let server = try await CloudServer("nextcloud")
        var fault = HTTPRequest(.post, try server.root.resolving("/-/fault"))
        // Longer than a busy machine needs until the directory is found.
        fault.body = .text(#"{"method": "PUT", "delay": 3600}"#)
        try await server.client.http.send(fault).requireSuccess()
        let probe = Task { try await server.client.probe(server.root) }
        // A listing may fail while the probe changes what it lists.
        while (try? await server.client.list(server.root).all().contains { $0.name.hasPrefix(".purvey") }) != true {
            await Task.yield()
        }
        probe.cancel()
        #expect(await failure { _ = try await probe.value } == .transport(.cancelled))
        #expect(try await server.client.list(server.root).all().allSatisfy { !$0.name.hasPrefix(".purvey") })
    }

    @Test func `a probe whose connection breaks removes its directory`() async throws {
        let server = try await CloudServer("nextcloud")
        let proxy = try await FaultProxy(before: server.root)
        try await proxy.command(#"{"cut": {"after": 5000, "direction": "down"}}"#, number: 1)
        var client = server.client
        client.credentials = .basic(user: "alice", password: "secret")
        let error = await failure { [client] in _ = try await client.probe(proxy.root) }
        guard case .transport = error else { throw UnexpectedError(error: error) }
        #expect(try await server.client.list(server.root).all().allSatisfy { !$0.name.hasPrefix(".purvey") })
    }

    @Test func `a probe where nothing may be written fails with the server's refusal`() async throws {
        let server = try await OrderedServer()
        try await server.orderListing("/", [("/", directoryProperties)])
        try await server.order(.options, status: 200)
        try await server.order(.mkcol, status: 403)
        let error = await failure { _ = try await server.client.probe(server.root) }
        guard case .forbidden = error else { throw UnexpectedError(error: error) }
    }

    @Test func `the protection follows from what was seen`() {
        var profile = DAVServerProfile()
        #expect(profile.writing == .comparison)
        profile.locking = .enforced
        #expect(profile.writing == .locks)
        (profile.putIfMatch, profile.putIfNoneMatch, profile.tagging) = (.honoured, .honoured, .weak)
        #expect(profile.writing == .locks)
        profile.tagging = .weakAtFirst
        #expect(profile.writing == .conditions)
        #expect(profile.moving == .comparison)
        profile.movesUnderLock = true
        #expect(profile.moving == .locks)
        #expect(profile.findings.contains("Writes are protected by conditions"))
    }
}
