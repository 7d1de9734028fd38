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

/// Exchanges of files that are interrupted, on a server without conditions and locks. The process is killed at each
/// step.
@Suite(.ownThreads, .timeLimit(.minutes(20))) struct ExchangeTests {
    @Test(arguments: DAVStep.allCases)
    func `the next process clears what a killed one has left of a write`(step: DAVStep) async throws {
        try await CloudServer.with("copyparty") { server in
            let state = try TestFolder()
            let made = try await made(at: server.root, in: state)
            await #expect(processExitsWith: .signal(SIGKILL)) {
                [root = server.root.description as String, state = state.path as String, step = step.rawValue as String]
                in
                setenv("PURVEY_FAULT_POINT", step, 1)
                let domain = try TestDomain(HTTPAddress(root), at: state)
                let item = try #require(try await domain.list().first { $0.name == "a.txt" })
                _ = try await domain.write("the second", to: item)
            }
            let isPlaced = step == .contentsPlaced || step == .remainsCleared
            try await checkNext(server, state, made, isPlaced ? "the second" : "one")
        }
    }

    @Test(arguments: [DAVStep.exchangeNoted, .fileTaken, .remainsCleared])
    func `the next process clears what a killed one has left of a removal`(step: DAVStep) async throws {
        try await CloudServer.with("copyparty") { server in
            let state = try TestFolder()
            let made = try await made(at: server.root, in: state)
            await #expect(processExitsWith: .signal(SIGKILL)) {
                [root = server.root.description as String, state = state.path as String, step = step.rawValue as String]
                in
                setenv("PURVEY_FAULT_POINT", step, 1)
                let domain = try TestDomain(HTTPAddress(root), at: state)
                try await domain.remove(try #require(try await domain.list().first { $0.name == "a.txt" }))
            }
            try await checkNext(server, state, made, step == .remainsCleared ? nil : "one")
        }
    }

    @Test(arguments: [DAVStep.exchangeNoted, .contentsSent, .remainsCleared])
    func `the next process clears what a killed one has left of a new file`(step: DAVStep) async throws {
        try await CloudServer.with("copyparty") { server in
            let state = try TestFolder()
            await #expect(processExitsWith: .signal(SIGKILL)) {
                [root = server.root.description as String, state = state.path as String, step = step.rawValue as String]
                in
                setenv("PURVEY_FAULT_POINT", step, 1)
                _ = try await TestDomain(HTTPAddress(root), at: state).create("a.txt", "one", template: "new")
            }
            let domain = try TestDomain(server.root, in: state)
            // The system sends it again.
            let made = try await domain.create("a.txt", "one", template: "new")
            try await checkNext(server, state, made, "one")
        }
    }

    @Test func `a file that another client has put in the place of one aside stays, and so does a third state`()
        async throws
    {
        try await CloudServer.with("copyparty") { server in
            let state = try TestFolder()
            _ = try await made(at: server.root, in: state)
            await #expect(processExitsWith: .signal(SIGKILL)) {
                [root = server.root.description as String, state = state.path as String] in
                setenv("PURVEY_FAULT_POINT", DAVStep.fileTaken.rawValue, 1)
                let domain = try TestDomain(HTTPAddress(root), at: state)
                let item = try #require(try await domain.list().first { $0.name == "a.txt" })
                _ = try await domain.write("the second", to: item)
            }
            // The file aside becomes one that no client has seen, and its name is taken.
            let names = try await server.client.list(server.root).all().map(\.name)
            let aside = try #require(names.first { $0.hasPrefix(".purvey-aside-") })
            try await server.client.delete(server.root.appending(aside))
            _ = try await server.client.put(.text("not seen by any client"), to: server.root.appending(aside))
            _ = try await server.client.put(.text("theirs"), to: server.root.appending("a.txt"))
            // Another client's file with such a name is not touched.
            let other = ".purvey-aside-other-1"
            _ = try await server.client.put(.text("other"), to: server.root.appending(other))
            try await TestDomain(server.root, in: state).look()
            let expected = ["a.txt": "theirs", "2 a.txt": "not seen by any client", other: "other"]
            #expect(try await contents(server) == expected)
        }
    }

    @Test func `two clients do not use each other's files`() async throws {
        try await CloudServer.with("copyparty") { server in
            let paths = Lock<Set<String>>([])
            for _ in 0..<2 {
                let service = InterruptedService()
                let domain = try TestDomain(server.root, service: service)
                service.interrupt { upload throws(DAVError) in paths.withLock { _ = $0.insert(upload.address.path) } }
                _ = try await domain.create("a.txt", "one")
                try await domain.remove(try #require(try await domain.list().first { $0.name == "a.txt" }))
            }
            #expect(paths.withLock { $0.count } == 2)
        }
    }

    /// Creates a file with the domain of a process that ends afterwards.
    private func made(at root: HTTPAddress, in state: TestFolder) async throws -> Seen {
        try await TestDomain(root, in: state).create("a.txt", "one")
    }

    /// Checks the files that the next process finds, and those that it leaves.
    private func checkNext(_ server: CloudServer, _ state: TestFolder, _ made: Seen, _ text: String?) async throws {
        let domain = try TestDomain(server.root, in: state)
        // Before the search for changes: a listing must not lack the file, either.
        let listed = try await domain.list().filter { $0.name == "a.txt" }
        #expect(listed.map(\.identifier) == (text == nil ? [] : [made.identifier]))
        try await domain.look()
        #expect(try await contents(server) == (text.map { ["a.txt": $0] } ?? [:]))
        guard text != nil else { return }
        let item = try await domain.item(made.identifier)
        #expect(try await domain.fetch(made.identifier).text == text)
        #expect(try await domain.write("at last", to: item).size == 7)
        #expect(try await contents(server) == ["a.txt": "at last"])
    }

    private func contents(_ server: CloudServer) async throws -> [String: String] {
        var found: [String: String] = [:]
        for entry in try await server.client.list(server.root).all() where !entry.isDirectory {
            let bytes = try await server.client.get(entry.address, to: .memory(limit: 1 << 16)).bytes
            found[entry.name] = String(decoding: bytes, as: UTF8.self)
        }
        return found
    }
}
