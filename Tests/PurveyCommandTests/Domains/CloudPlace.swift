import DaemonTesting
import Foundation
import Glibc
import ProgramTesting
import Testing

/// A command place with a folder that is served as a cloud.
struct CloudPlace {
    let place: CommandPlace
    /// The folder that is served.
    let cloud: String
    /// Where the domain is mounted.
    let mount: String

    /// Installs the provider, and makes a folder to serve.
    init(_ place: CommandPlace) async throws {
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

    /// Adds the domain, mounted.
    func add() async throws {
        let outcome = try await place.purvey(
            "domains", "add", "org.purvey.LocalFolder", "Papers", "path=" + cloud)
        try #require(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.text == mount + "\n")
    }

    /// What `purvey stat --json` says.
    func state(_ path: String) async throws -> String? {
        let outcome = try await place.purvey("stat", "--json", path)
        try #require(outcome.status == 0, "\(outcome.errors)")
        let object = try JSONSerialization.jsonObject(with: outcome.output) as? [String: Any]
        return object?["state"] as? String
    }

    /// Looks again and again until something is so; a busy machine may take long.
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

    /// The daemon's process.
    func daemon() async throws -> pid_t { try await place.daemon() }

    /// Ends the daemon.
    func end(by signal: CInt = SIGTERM) async throws { try await place.endDaemon(by: signal) }

    /// The processes of the extension that was installed.
    var extensionProcesses: [pid_t] { place.processes(of: place.path("LocalFolder.appex/LocalFolder")) }

    /// Has the extension stand still.
    ///
    /// - Returns: its processes, which go on with SIGCONT.
    func stopExtension() async throws -> [pid_t] {
        let processes = extensionProcesses
        try #require(!processes.isEmpty)
        for process in processes { kill(process, SIGSTOP) }
        // The signal alone does not wait until no thread of it runs.
        try await eventually("the extension stands still") { processes.allSatisfy(ProcessState.isStopped) }
        return processes
    }
}
