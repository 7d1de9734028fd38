import CloudTesting
import Foundation
import HTTPTransport
import Testing
import WebDAVClient

struct ProbeTests {
    /// The measured behaviour of a server: conditions on PUT, on MOVE and on DELETE, and locks.
    struct Expected: Sendable {
        let name: String
        let writing: DAVServerProfile.Adherence
        let moving: DAVServerProfile.Adherence
        let locking: DAVServerProfile.Locking
        let tagging: DAVServerProfile.Tagging
    }

    @Test(arguments: [
        Expected(name: "nextcloud", writing: .honoured, moving: .honoured, locking: .absent, tagging: .strong),
        Expected(name: "nginx", writing: .ignored, moving: .ignored, locking: .enforced, tagging: .strong),
        Expected(name: "apache", writing: .honoured, moving: .honoured, locking: .enforced, tagging: .weakAtFirst),
        Expected(name: "lighttpd", writing: .honoured, moving: .honoured, locking: .enforced, tagging: .strong),
        Expected(name: "rclone", writing: .ignored, moving: .ignored, locking: .enforced, tagging: .strong),
        Expected(name: "rclone-debian", writing: .ignored, moving: .ignored, locking: .enforced, tagging: .strong),
        Expected(name: "wsgidav", writing: .honoured, moving: .honoured, locking: .enforced, tagging: .strong),
        Expected(name: "sabre", writing: .honoured, moving: .ignored, locking: .enforced, tagging: .strong),
        Expected(name: "seaweedfs", writing: .ignored, moving: .ignored, locking: .enforced, tagging: .strong),
        Expected(name: "copyparty", writing: .unknown, moving: .unknown, locking: .ignored, tagging: .absent),
        Expected(name: "xandikos", writing: .honoured, moving: .ignored, locking: .absent, tagging: .strong),
    ])
    func `the probe finds what a server does and leaves nothing`(expected: Expected) async throws {
        try await CloudServer.with(expected.name) { server in
            let profile = try await server.client.probe(server.root)
            let text = profile.findings.joined(separator: "\n")
            #expect(profile.putIfMatch == expected.writing, "\(text)")
            #expect(profile.moveIfMatch == expected.moving, "\(text)")
            #expect(profile.locking == expected.locking, "\(text)")
            #expect(profile.tagging == expected.tagging, "\(text)")
            #expect(profile.sendsRanges == (expected.name != "xandikos"), "\(text)")
            #expect(profile.honoursDepth, "\(text)")
            // Its tags are those of the date and the size, and it takes the date.
            if expected.name == "rclone" { #expect(profile.distinguishesQuickChanges == false, "\(text)") }
            #expect(profile.remains == nil)
            let rest = try await server.client.list(server.root).all().map(\.name)
            #expect(rest.allSatisfy { !$0.hasPrefix(".purvey") })
            #expect(profile.findings.allSatisfy { !$0.contains("\n") && $0.count < 120 })
            let coded = try JSONEncoder().encode(profile)
            #expect(try JSONDecoder().decode(DAVServerProfile.self, from: coded) == profile)
        }
    }

    @Test func `a probe that is cancelled removes its directory`() async throws {
        let server = try await CloudServer("nextcloud")
        var fault = HTTPRequest(.post, try server.root.resolving("/-/fault"))
        fault.body = .text(#"{"method": "PUT", "delay": 30}"#)
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
