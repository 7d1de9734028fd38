import CloudTesting
import DAVFileProvider
import FileProvider
import FileTesting
import Foundation
import Glibc
import HTTPTransport
import LinuxSystem
import TestThreads
import Testing
import WebDAVClient

/// Tests of files of users and of other clients whose names have the form of this client's temporary names, and of
/// temporary files that appear at a server after the end of their exchange.
@Suite(.ownThreads, .timeLimit(.minutes(20))) struct TemporaryNameTests {
    private static let prefixes = [".purvey-probe-", ".purvey-incoming-", ".purvey-aside-"]
    private let settings = ["authentication": "basic"]

    private func contents(_ server: CloudServer, in folder: HTTPAddress? = nil) async throws -> [String: String] {
        var found: [String: String] = [:]
        for entry in try await server.client.list(folder ?? server.root).all() where !entry.isDirectory {
            let bytes = try await server.client.get(entry.address, to: .memory(limit: 1 << 16)).bytes
            found[entry.name] = String(decoding: bytes, as: UTF8.self)
        }
        return found
    }

    // One server for each protection of changes. On copyparty, this is the exchange.
    @Test(arguments: ["nextcloud", "apache", "copyparty"])
    func `a user's file may have any name`(name: String) async throws {
        try await CloudServer.with(name) { server in
            let domain = try TestDomain(server.root, settings: settings)
            for prefix in Self.prefixes {
                _ = try await server.client.put(.text("theirs"), to: server.root.appending(prefix + "theirs"))
                try await server.client.makeDirectory(server.root.appending(prefix + "folder").asDirectory)
            }
            for item in try await domain.list() where !item.isFolder && item.name.hasPrefix(".purvey-") {
                let fetched = try await domain.fetch(item.identifier)
                #expect(fetched.text == "theirs")
                #expect(try await domain.write("changed", to: fetched.item).size == 7)
            }
            for prefix in Self.prefixes {
                let made = try await domain.create(prefix + "own", "own")
                #expect(try await domain.move(made, to: prefix + "moved").name == prefix + "moved")
            }
            let anchor = try await domain.anchor()
            for prefix in Self.prefixes {
                _ = try await server.client.put(.text("later"), to: server.root.appending(prefix + "later"))
            }
            try await domain.look()
            let names = Set(Self.prefixes.flatMap { [$0 + "theirs", $0 + "moved", $0 + "later"] })
            let folders = Set(Self.prefixes.map { $0 + "folder" })
            let updated = try await domain.changes(since: anchor).updated.map(\.name)
            #expect(names.filter { $0.hasSuffix("later") }.isSubset(of: updated))
            #expect(Set(try await domain.list().map(\.name)).isSuperset(of: names.union(folders)))
            let found = try await contents(server).filter { $0.key.hasPrefix(".purvey-") }
            #expect(Set(found.keys) == names)
            #expect(Self.prefixes.allSatisfy { found[$0 + "theirs"] == "changed" && found[$0 + "moved"] == "own" })
            for item in try await domain.list() where names.contains(item.name) { try await domain.remove(item) }
            #expect(try await contents(server).allSatisfy { !$0.key.hasPrefix(".purvey-") })
        }
    }

    @Test(arguments: ["nextcloud", "apache", "copyparty"])
    func `a folder in which another client has such a file is not empty`(name: String) async throws {
        try await CloudServer.with(name) { server in
            let domain = try TestDomain(server.root, settings: settings)
            let folder = try await domain.create("Folder", nil)
            let address = try server.root.appending("Folder").asDirectory
            for name in Self.prefixes.map({ $0 + "x" }) {
                _ = try await server.client.put(.text("theirs"), to: address.appending(name))
                #expect(await failure { try await domain.remove(folder) } == .directoryNotEmpty)
                #expect(await failure { try await domain.remove(folder, isRecursive: true) } == .directoryNotEmpty)
                #expect(try await contents(server, in: address) == [name: "theirs"])
                try await server.client.delete(address.appending(name))
            }
            try await domain.remove(folder)
            #expect(try await !domain.list().contains { $0.name == "Folder" })
        }
    }

    @Test(arguments: [DAVStep.contentsSent, .fileTaken])
    func `a folder is removed only without the file that a killed process put aside`(step: DAVStep) async throws {
        try await CloudServer.with("copyparty") { server in
            let state = try TestFolder()
            let first = try TestDomain(server.root, at: state.path)
            let folder = try await first.create("Folder", nil)
            if step == .fileTaken { _ = try await first.create("a.txt", "one", in: folder.identifier) }
            await #expect(processExitsWith: .signal(SIGKILL)) {
                [root = server.root.description as String, state = state.path as String, step = step.rawValue as String]
                in
                setenv("PURVEY_FAULT_POINT", step, 1)
                let domain = try TestDomain(HTTPAddress(root), at: state)
                let folder = try #require(try await domain.list().first)
                guard let item = try await domain.list(folder.identifier).first else {
                    _ = try await domain.create("a.txt", "one", in: folder.identifier)
                    return
                }
                _ = try await domain.write("two", to: item)
            }
            let address = try server.root.appending("Folder").asDirectory
            #expect(try await contents(server, in: address).keys.allSatisfy { $0.hasPrefix(".purvey-") })
            let domain = try TestDomain(server.root, at: state.path, state)
            if step == .fileTaken {
                #expect(await failure { try await domain.remove(folder) } == .directoryNotEmpty)
                #expect(try await contents(server, in: address) == ["a.txt": "one"])
            } else {
                try await domain.remove(folder)
                #expect(try await domain.list().isEmpty)
            }
        }
    }

    @Test func `what a late request of an exchange does is undone`() async throws {
        try await CloudServer.with("copyparty") { server in
            let service = InterruptedService()
            let domain = try TestDomain(server.root, service: service)
            let item = try await domain.create("a.txt", "one")
            let sent = Lock<[HTTPAddress]>([])
            service.interrupt { upload throws(DAVError) in sent.withLock { $0.append(upload.address) } }
            let written = try await domain.write("two", to: item)
            let first = sent.withLock { $0.first }
            let incoming = try #require(first)
            // The server carries out an upload and a move whose replies were lost.
            _ = try await server.client.put(.text("late"), to: incoming)
            let aside = try HTTPAddress(
                incoming.description.replacingOccurrences(of: ".purvey-incoming-", with: ".purvey-aside-"))
            try await server.client.move(
                server.root.appending("a.txt"), to: aside, if: DAVRequirements(destination: .absent))
            #expect(try await domain.list().map(\.identifier) == [written.identifier])
            try await domain.look()
            #expect(try await contents(server) == ["a.txt": "two"])
            #expect(try await domain.list().map(\.identifier) == [written.identifier])
            // Each exchange uses different temporary names.
            service.interrupt { upload throws(DAVError) in sent.withLock { $0.append(upload.address) } }
            _ = try await domain.write("three", to: written)
            let addresses = sent.withLock { Set($0) }
            #expect(addresses.count == 2)
        }
    }

    @Test func `only the recorded directory of a probe is hidden`() async throws {
        try await CloudServer.with("apache") { server in
            let state = try TestFolder()
            let records = ProbeRecords(beside: URL(filePath: state.path + "/state"))
            let own = try server.root.appending(DAVClient.probePrefix + "1").asDirectory
            let other = try server.root.appending(DAVClient.probePrefix + "2").asDirectory
            // A user's folder that has the same name as the probe's directory, but is in another folder.
            let outer = try server.root.appending("Folder").asDirectory
            let inner = try outer.appending(DAVClient.probePrefix + "1").asDirectory
            let record = try records.begin(own)
            for directory in [own, other, outer, inner] { try await server.client.makeDirectory(directory) }
            let domain = try TestDomain(server.root, in: state)
            let listed = try await domain.list()
            #expect(listed.map(\.name).sorted() == [DAVClient.probePrefix + "2", "Folder"])
            let folder = try #require(listed.first { $0.name == "Folder" })
            #expect(try await domain.list(folder.identifier).map(\.name) == [DAVClient.probePrefix + "1"])
            // A search for changes does not remove the directory of a running probe.
            try await domain.look()
            _ = try await server.client.entry(at: own)
            #expect(try await domain.list().count == 2)
            withExtendedLifetime(record) {}
        }
    }
}
