import CloudTesting
import DAVFileProvider
import FileProvider
import Foundation
import HTTPTransport
import LinuxSystem
import Testing
import WebDAVClient

struct SetUpTests {
    /// Returns a set-up whose user signs in with a password.
    private func setup(
        _ settings: [String: String], password: String = "secret", purpose: FileProviderSetup.Purpose = .adding,
        lines: Lines = Lines()
    ) -> FileProviderSetup {
        FileProviderSetup(purpose: purpose, settings: settings) { _, user in
            FileProviderCredentials(user: user ?? "alice", password: password)
        } report: {
            lines.add($0)
        }
    }

    final class Lines: Sendable {
        // Leaf lock.
        private let state = Lock<[String]>([])
        var all: [String] { state.withLock { $0 } }
        func add(_ line: String) { state.withLock { $0.append(line) } }
    }

    @Test(arguments: ["apache", "nginx"])
    func `a set-up signs in, examines the server and stores what it found`(name: String) async throws {
        try await CloudServer.with(name) { server in
            let domain = try TestDomain(server.root, settings: ["user": "", "poll": "10"])
            domain.passwords.store("none", for: "alice", at: server.root.origin, domain: "test")
            let lines = Lines()
            let setup = setup(["url": server.root.description], lines: lines)
            try await domain.provider.setUpDomain(setup)
            #expect(setup.settings["user"] == "alice")
            #expect(setup.settings["authentication"] == "basic")
            #expect(domain.passwords.password(for: "alice", at: server.root.origin, domain: "test") == "secret")
            #expect(lines.all.contains { $0.hasPrefix("Writes are protected by") })
            #expect(!setup.settings.values.contains("secret") && !lines.all.joined().contains("secret"))
            // The next process has the findings.
            let next = try TestDomain(server.root, in: domain.folder, settings: setup.settings)
            #expect(next.provider.domainFindings.contains { $0.hasPrefix("Writes are protected by") })
            #expect(try await next.list().allSatisfy { !$0.name.hasPrefix(".purvey") })
        }
    }

    /// Expects a set-up with wrong settings to fail with one sentence that contains a text.
    private func expect(_ sentence: String, _ setup: FileProviderSetup, _ root: HTTPAddress) async throws {
        let domain = try TestDomain(root)
        do {
            try await domain.provider.setUpDomain(setup)
            Issue.record("the set-up succeeded")
        } catch {
            let text = error.localizedDescription
            #expect(text.contains(sentence), "\(text)")
            #expect(text.hasSuffix(".") && !text.contains("\n"), "\(text)")
        }
    }

    @Test func `each mistake has a sentence of its own`() async throws {
        try await CloudServer.with("apache") { server in
            let (url, root) = (server.root.description, server.root)
            try await expect("does not accept the user", setup(["url": url], password: "wrong"), root)
            try await expect("does not exist", setup(["url": url + "missing/"]), root)
            try await expect("The address is missing", setup([:]), root)
            try await expect("is not the address of a server", setup(["url": "ftp://x"]), root)
            try await expect("“poll”", setup(["url": url, "poll": "1"]), root)
            try await expect("“bandwidth”", setup(["url": url, "bandwidth": "fast"]), root)
            try await expect("“authentication”", setup(["url": url, "authentication": "ntlm"]), root)
            try await expect("“certificate”", setup(["url": url, "certificate": "SHA256:12"]), root)
            try await expect("refuses connections", setup(["url": "http://127.0.0.1:1/"]), root)
        }
        let server = try await CloudServer("nextcloud")
        var fault = HTTPRequest(.post, try server.root.resolving("/-/fault"))
        fault.body = .text(#"{"method": "PROPFIND", "html": true, "times": -1}"#)
        try await server.client.http.send(fault).requireSuccess()
        let url = server.root.description
        try await expect("a page to sign in", setup(["url": url]), server.root)
    }

    @Test func `an untrusted certificate is named with its fingerprint and can be accepted`() async throws {
        try await CloudServer.with("apache-tls") { server in
            let settings = ["url": server.root.description]
            let domain = try TestDomain(server.root)
            var sentence = ""
            do {
                try await domain.provider.setUpDomain(setup(settings))
            } catch {
                sentence = error.localizedDescription
            }
            #expect(sentence.contains("is not trusted"), "\(sentence)")
            let word = try #require(sentence.split(separator: " ").first { $0.hasPrefix("certificate=SHA256:") })
            let fingerprint = String(word.dropFirst("certificate=".count).prefix { $0 != "." })
            let accepted = setup(settings.merging(["certificate": fingerprint]) { $1 })
            try await domain.provider.setUpDomain(accepted)
            let next = try TestDomain(server.root, in: domain.folder, settings: accepted.settings)
            _ = try await next.list()
        }
    }

    @Test func `settings are parsed with their units`() throws {
        let settings = try DAVSettings([
            "url": "Cloud.example:8443/dav", "bandwidth": "500K/2M", "authentication": "Digest", "user": "",
        ])
        #expect(settings.address.description == "https://cloud.example:8443/dav/")
        #expect(settings.uploadLimit == 500 << 10)
        #expect(settings.downloadLimit == 2 << 20)
        #expect(settings.authentication == .digest)
        #expect(settings.user == nil)
        #expect(try DAVSettings(["url": "davs://a/"]).address.description == "https://a/")
        #expect(try DAVSettings(["url": "https://a/", "bandwidth": "1000"]).downloadLimit == 1_000)
        #expect(try DAVSettings(["url": "https://a/", "bandwidth": "/1M"]).uploadLimit == nil)
    }
}
