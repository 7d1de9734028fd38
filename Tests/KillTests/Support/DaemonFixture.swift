import AppExtension
import Conduit
import DaemonTesting
import DomainMessages
import Exchange
import ExtensionHost
import FileProvider
import FileProviderEngine
import FileProviderWire
import Foundation
import Glibc
import LinuxSystem
import ProgramTesting
import Testing

/// A daemon for one test, with one mounted domain of the provider "On This Machine". A test can kill it repeatedly. All
/// files and processes are removed afterwards.
final class DaemonFixture: Sendable {
    /// The daemon's `PURVEY_HOME`.
    let home: String
    /// The directory that is served as a cloud.
    let cloud: String
    private let daemon: StartedDaemon
    private var locations: Locations { daemon.locations }

    static let domain = "Papers"

    /// The path of the mount point.
    var mount: String { locations.mounts + "/" + Self.domain }
    /// The path of the engine's data of the domain.
    var data: String { locations.domains + "/" + Self.domain }
    /// The path of the provider's own files.
    var container: String { locations.data + "/containers/org.purvey.LocalFolder" }
    var domains: String { locations.domains }
    var cache: String { locations.cache }

    /// Runs a test. It blocks, so it needs threads of its own.
    ///
    /// - Parameters:
    ///   - arrange: A closure that is called before the directories of the home exist.
    ///   - prepare: A closure that fills the cloud before the domain is added.
    static func run(
        arrange: (DaemonFixture) throws -> Void = { _ in }, prepare: (DaemonFixture) throws -> Void,
        _ body: (DaemonFixture) async throws -> Void
    ) async throws {
        let place = try DaemonFixture()
        do {
            try arrange(place)
            try place.makeFolders()
            try prepare(place)
            try await body(place)
        } catch {
            await place.end()
            throw error
        }
        await place.end()
    }

    private init() throws {
        // The path is short, as that of a socket has to be.
        home = (NSTemporaryDirectory() as NSString).standardizingPath + "/pvk-" + UUID().uuidString.prefix(8)
        cloud = home + "/cloud"
        daemon = try StartedDaemon(home: home)
        try FileManager.default.createDirectory(atPath: home, withIntermediateDirectories: true)
    }

    private func makeFolders() throws {
        let bundle = home + "/LocalFolder.appex"
        for folder in [cloud, bundle, locations.data] {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        }
        try FileManager.default.copyItem(
            atPath: FileManager.default.currentDirectoryPath + "/Providers/LocalFolder/Info.plist",
            toPath: bundle + "/Info.plist")
        // Another process copies the program: a file that this process has open for writing cannot be executed while
        // any fork has the descriptor.
        let copy = try ChildProgram.start(
            "/bin/cp", arguments: ["-l", BuiltProgram.path("LocalFolder"), bundle + "/LocalFolder"], descriptors: [])
        if try copy.wait() != .exited(0) {
            let copy = try ChildProgram.start(
                "/bin/cp", arguments: [BuiltProgram.path("LocalFolder"), bundle + "/LocalFolder"], descriptors: [])
            try #require(try copy.wait() == .exited(0))
        }
        try ExtensionLibrary(data: locations.data).install(path: bundle, link: true)
    }

    // MARK: Life of the daemon

    /// Starts the daemon, and waits until it listens. See ``StartedDaemon/start(dyingAt:providerDyingAt:_:)``.
    func start(dyingAt step: String? = nil, providerDyingAt providerStep: String? = nil, _ variables: [String] = [])
        throws
    {
        try daemon.start(dyingAt: step, providerDyingAt: providerStep, variables)
    }

    /// Starts a daemon that dies while it starts the domain.
    func startAndDie(at step: String) throws {
        do {
            try start(dyingAt: step)
        } catch {
            // The daemon may die before the connection is made.
        }
        expectDeath(at: step)
    }

    /// Waits until the daemon has died at the given step.
    func expectDeath(at step: String, sourceLocation: SourceLocation = #_sourceLocation) {
        let ending = daemon.awaitEnd()
        #expect(ending == .signalled(SIGKILL), "\(step)", sourceLocation: sourceLocation)
        if ending == nil { kill() }
    }

    /// Kills the daemon.
    func kill() { daemon.kill() }

    /// Ends the daemon with SIGTERM, which has to succeed.
    func stop(sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(daemon.end() == .exited(0), sourceLocation: sourceLocation)
    }

    private func end() async {
        _ = daemon.end()
        if !daemon.removeHome(mount: mount) { Issue.record("\(home) cannot be removed") }
    }

    // MARK: Work of the daemon

    func call<C: Call>(_ request: C) async throws -> C.Reply {
        let connection = try #require(daemon.connection)
        return try await connection.call(request)
    }

    /// Adds the domain, which lists its root.
    func add() async throws {
        let added = try await call(
            AddDomainCall(
                provider: "org.purvey.LocalFolder", name: Self.domain,
                settings: [DomainSetting(key: DomainSetting.path, value: cloud)]))
        try #require(added.mount == mount)
    }

    func activity() async throws -> DomainActivity {
        try #require(try await call(DomainsStatusCall()).domains.first { $0.domain.name == Self.domain })
    }

    /// Waits until the domain is mounted again.
    func mounted() async throws {
        try await eventually("the domain is mounted") { try await activity().domain.mount == mount }
        let mounts = try MountTable.current().mounts.count { $0.point == mount }
        #expect(mounts == 1, "a stale mount is there beside the new one")
    }

    /// Whether a file's contents are local.
    func isHere(_ path: String) async throws -> Bool {
        let place = ItemPlace(text: Self.domain + ":" + path, path: mount + "/" + path)
        return try await call(DescribeItemCall(place: place)).state != .dataless
    }

    /// Waits until the service has all edits.
    func settled() async throws {
        try await eventually("the service has everything") {
            let activity = try await activity()
            return activity.domain.state == .running && activity.uploadsWaiting + activity.uploadsInFlight == 0
        }
    }

    /// Expects a directory's contents, at the provider and in the mount. Partial files that a killed process left in
    /// the cloud are hidden, and are removed in time.
    func holds(_ tree: [String: String], at folder: String, sourceLocation: SourceLocation = #_sourceLocation)
        async throws
    {
        var found: [String: String] = [:]
        for _ in 0..<15_000 {
            found = try Tree.read(cloud + "/" + folder)
            guard found != tree, found.filter({ !$0.key.contains(".purvey-partial-") }) == tree else { break }
            usleep(20_000)
        }
        #expect(found == tree, "at the provider, in \(folder)", sourceLocation: sourceLocation)
        #expect(
            try Tree.read(mount + "/" + folder) == tree, "in the mount, in \(folder)", sourceLocation: sourceLocation)
    }

    /// The daemon's process.
    var processID: pid_t { daemon.processID }

    /// The provider's processes.
    var providers: [pid_t] { daemon.children }

    /// Runs `purvey` to its end, and returns its exit and output.
    func purvey(_ arguments: String...) throws -> (ending: ChildProgram.Ending, text: String) {
        try daemon.purvey(arguments)
    }

    // MARK: Leftovers

    /// Expects that no work is pending and no file was left behind, after the daemon ended in good order.
    func expectNothingLeft(sourceLocation: SourceLocation = #_sourceLocation) throws {
        #expect(try Leftovers.find(data: data, home: home) == [], sourceLocation: sourceLocation)
        // Copies of an ended provider are removed when it starts again; partial files are not among them.
        let left = try Tree.read(container).keys.filter { path in
            path.contains("/.purvey-") || path.hasPrefix("tmp/domain-") && path.split(separator: "/").count > 2
        }
        #expect(left == [], sourceLocation: sourceLocation)
    }
}

/// Checks a condition repeatedly until it holds, for at least four minutes, as a busy machine is slow.
func eventually(
    _ what: String, sourceLocation: SourceLocation = #_sourceLocation, _ condition: () async throws -> Bool
) async throws {
    for _ in 0..<12_000 {
        if try await condition() { return }
        try await Task.sleep(for: .milliseconds(20))
    }
    Issue.record("never: \(what)", sourceLocation: sourceLocation)
}
