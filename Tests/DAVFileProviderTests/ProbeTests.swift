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

/// Probes that are interrupted, because their process is killed.
@Suite(.ownThreads, .timeLimit(.minutes(20))) struct ProbeTests {
    /// Returns the names of the probes' directories at a server.
    private static func directories(_ client: DAVClient, _ root: HTTPAddress) async throws -> [String] {
        try await client.list(root).all().map(\.name).filter { $0.hasPrefix(DAVClient.probePrefix) }
    }

    private static func setUp(_ domain: TestDomain, _ root: HTTPAddress) async throws {
        let setup = FileProviderSetup(purpose: .adding, settings: ["url": root.description]) { _, _ in
            FileProviderCredentials(user: "alice", password: "secret")
        }
        try await domain.provider.setUpDomain(setup)
    }

    private func records(_ state: TestFolder) -> [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: state.path + "/.probes")) ?? []
    }

    /// Sets up a domain in a process that kills itself while the server has the probe's directory.
    private func killDuringProbe(_ root: HTTPAddress, _ state: TestFolder) async {
        await #expect(processExitsWith: .signal(SIGKILL)) {
            [root = root.description as String, state = state.path as String] in
            let root = try HTTPAddress(root)
            let domain = try TestDomain(root, at: state)
            let client = DAVClient(
                try HTTPClient(.direct), credentials: .passwordAsRequested(user: "alice", password: "secret"))
            let setUp = Task { try await ProbeTests.setUp(domain, root) }
            while try await ProbeTests.directories(client, root).isEmpty { await Task.yield() }
            kill(getpid(), SIGKILL)
            try await setUp.value
        }
    }

    @Test func `the next search for changes removes what a killed probe has left`() async throws {
        try await CloudServer.with("apache") { server in
            let state = try TestFolder()
            await killDuringProbe(server.root, state)
            #expect(try await Self.directories(server.client, server.root).count == 1)
            #expect(records(state).count == 1)
            let domain = try TestDomain(server.root, in: state)
            try await domain.look()
            #expect(try await Self.directories(server.client, server.root).isEmpty)
            #expect(records(state).isEmpty)
        }
    }

    @Test func `the next set-up of another domain removes it, too`() async throws {
        try await CloudServer.with("apache") { server in
            let state = try TestFolder()
            await killDuringProbe(server.root, state)
            // A directory that is not recorded belongs to another client.
            let other = try server.root.appending(DAVClient.probePrefix + "other").asDirectory
            try await server.client.makeDirectory(other)
            try await Self.setUp(try TestDomain(server.root, in: state), server.root)
            #expect(try await Self.directories(server.client, server.root) == [DAVClient.probePrefix + "other"])
            #expect(records(state).isEmpty)
        }
    }

    @Test(arguments: [DAVProbeStep.noted, .removed])
    func `a record without a directory is removed`(step: DAVProbeStep) async throws {
        try await CloudServer.with("apache") { server in
            let state = try TestFolder()
            await #expect(processExitsWith: .signal(SIGKILL)) {
                [root = server.root.description as String, state = state.path as String, step = step.rawValue as String]
                in
                setenv("PURVEY_FAULT_POINT", step, 1)
                let root = try HTTPAddress(root)
                try await ProbeTests.setUp(try TestDomain(root, at: state), root)
            }
            #expect(records(state).count == 1)
            try await TestDomain(server.root, in: state).look()
            #expect(records(state).isEmpty)
            #expect(try await Self.directories(server.client, server.root).isEmpty)
        }
    }

    @Test func `a directory stays while its probe runs, and where its record does not belong`() async throws {
        let state = try TestFolder()
        let records = ProbeRecords(beside: URL(filePath: state.path + "/state"))
        let root = try HTTPAddress("https://cloud.example/dav/")
        let directory = try root.appending(DAVClient.probePrefix + "1").asDirectory
        var record: ProbeRecords.Record? = try records.begin(directory)
        #expect(records.abandoned(in: root).isEmpty)
        #expect(record?.directory == directory)
        // As if the process had ended.
        record = nil
        #expect(records.abandoned(in: try HTTPAddress("https://cloud.example/other/")).isEmpty)
        #expect(records.abandoned(in: try HTTPAddress("https://other.example/dav/")).isEmpty)
        var left: [ProbeRecords.Record] = []
        // A child process that another test has just forked holds the lock, too, until it executes its program.
        for _ in 0..<1_000 where left.isEmpty {
            left = records.abandoned(in: root)
            if left.isEmpty { try await Task.sleep(for: .milliseconds(10)) }
        }
        #expect(left.map(\.directory) == [directory])
        for record in left { records.end(record) }
        #expect(records.abandoned(in: root).isEmpty && self.records(state).isEmpty)
    }
}
