import DaemonTesting
import Foundation
import Glibc
import ProgramTesting
import Testing

/// A ``CommandFixture`` with a directory that is served as a cloud.
struct CloudFixture {
    let place: CommandFixture
    /// The path of the directory that is served.
    let cloud: String
    /// The path at which the domain is mounted.
    let mount: String

    /// Installs the provider, and makes a directory to serve.
    init(_ place: CommandFixture) async throws {
        self.place = place
        cloud = place.home + "/cloud"
        mount = place.home + "/mounts/Papers"
        try FileManager.default.createDirectory(atPath: cloud + "/inner", withIntermediateDirectories: true)
        try Data("hello\n".utf8).write(to: URL(fileURLWithPath: cloud + "/a.txt"))
        try Data("deep\n".utf8).write(to: URL(fileURLWithPath: cloud + "/inner/b.txt"))
        try await installProvider()
    }

    private func installProvider() async throws {
        let bundle = place.path("LocalFolder.appex")
        try FileManager.default.createDirectory(atPath: bundle, withIntermediateDirectories: true)
        let source = FileManager.default.currentDirectoryPath + "/Providers/LocalFolder/Info.plist"
        try FileManager.default.copyItem(atPath: source, toPath: bundle + "/Info.plist")
        try FileManager.default.linkItem(
            atPath: BuiltProgram.path("LocalFolder"), toPath: bundle + "/LocalFolder")
        let outcome = try await place.purvey("extensions", "install", "--link", bundle)
        #expect(outcome.status == 0, "\(outcome.errors)")
    }

    /// Adds the domain, which mounts it.
    func add() async throws {
        let outcome = try await place.purvey(
            "domains", "add", "org.purvey.LocalFolder", "Papers", "path=" + cloud)
        try #require(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.text == mount + "\n")
    }

    /// Returns the state of an item from `purvey stat --json`.
    func state(_ path: String) async throws -> String? {
        let outcome = try await place.purvey("stat", "--json", path)
        try #require(outcome.status == 0, "\(outcome.errors)")
        let object = try JSONSerialization.jsonObject(with: outcome.output) as? [String: Any]
        return object?["state"] as? String
    }

    /// Checks a condition repeatedly until it holds, for up to five minutes, as a busy machine is slow.
    func eventually(_ what: String, _ condition: () async throws -> Bool) async throws {
        for _ in 0..<1_500 {
            if try await condition() { return }
            try await Task.sleep(for: .milliseconds(200))
        }
        Issue.record("never: \(what)")
    }

    func contents(_ path: String) async -> String? {
        await offPool { try? String(contentsOfFile: path, encoding: .utf8) }
    }

    func write(_ text: String, to path: String) async throws {
        let isWritten = await offPool { (try? Data(text.utf8).write(to: URL(fileURLWithPath: path))) != nil }
        try #require(isWritten)
    }

    func daemon() async throws -> pid_t { try await place.daemon() }

    func end(by signal: CInt = SIGTERM) async throws { try await place.endDaemon(by: signal) }

    /// The processes of the installed extension.
    var extensionProcesses: [pid_t] { place.processes(of: place.path("LocalFolder.appex/LocalFolder")) }

    /// Stops the extension with SIGSTOP.
    ///
    /// - Returns: Its processes, which SIGCONT resumes.
    func stopExtension() async throws -> [pid_t] {
        let processes = extensionProcesses
        try #require(!processes.isEmpty)
        for process in processes { kill(process, SIGSTOP) }
        // The signal's delivery does not wait until every thread has stopped.
        try await eventually("the extension stands still") { processes.allSatisfy(ProcessState.isStopped) }
        return processes
    }
}
