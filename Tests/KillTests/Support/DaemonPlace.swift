import AppExtension
import Conduit
import DaemonTesting
import Exchange
import ExtensionHost
import FileProvider
import FileProviderEngine
import Foundation
import Glibc
import LinuxSystem
import ProgramTesting
import Testing

/// A daemon of a test's own, with the provider that ships over a folder, mounted. It dies as often as the test wants. All of it is gone
/// afterwards.
final class DaemonPlace: Sendable {
    /// `PURVEY_HOME` of the daemon.
    let home: String
    /// The folder that is served as a cloud.
    let cloud: String
    private let daemon: StartedDaemon
    private var locations: Locations { daemon.locations }

    static let domain = "Papers"

    /// Where the domain is mounted.
    var mount: String { locations.mounts + "/" + Self.domain }
    /// What the engine keeps of the domain.
    var data: String { locations.domains + "/" + Self.domain }
    /// The provider's own files.
    var container: String { locations.data + "/containers/org.purvey.LocalFolder" }
    var domains: String { locations.domains }
    var cache: String { locations.cache }

    /// Runs a test. It blocks, so it needs threads of its own.
    ///
    /// - Parameters:
    ///   - prepare: makes what is in the cloud before the domain is added.
    ///   - arrange: is called before anything is made in the daemon's home.
    static func run(
        arrange: (DaemonPlace) throws -> Void = { _ in }, prepare: (DaemonPlace) throws -> Void,
        _ body: (DaemonPlace) async throws -> Void
    ) async throws {
        let place = try DaemonPlace()
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
        // Short, because the path of a socket is.
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
        // A program that this process has open for writing could not be run while any of its forks has it so.
        let copy = try ChildProgram.start(
            "/bin/cp", arguments: ["-l", BuiltProgram.path("LocalFolder"), bundle + "/LocalFolder"], descriptors: [])
        if try copy.wait() != .exited(0) {
            let copy = try ChildProgram.start(
                "/bin/cp", arguments: [BuiltProgram.path("LocalFolder"), bundle + "/LocalFolder"], descriptors: [])
            try #require(try copy.wait() == .exited(0))
        }
        try ExtensionLibrary(data: locations.data).install(path: bundle, link: true)
    }

    // MARK: The daemon's life

    /// Starts the daemon, and waits until it listens; ``StartedDaemon/start(dyingAt:providerDyingAt:_:)``.
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
            // It may be dead before it is connected to.
        }
        expectDeath(at: step)
    }

    /// Waits until the daemon has died at the step that it was to die at.
    func expectDeath(at step: String, sourceLocation: SourceLocation = #_sourceLocation) {
        let ending = daemon.awaitEnd()
        #expect(ending == .signalled(SIGKILL), "\(step)", sourceLocation: sourceLocation)
        if ending == nil { kill() }
    }

    /// Ends the daemon the hard way.
    func kill() { daemon.kill() }

    /// Ends the daemon in good order.
    func stop(sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(daemon.end() == .exited(0), sourceLocation: sourceLocation)
    }

    private func end() async {
        _ = daemon.end()
        if !daemon.removeHome(mount: mount) { Issue.record("\(home) cannot be removed") }
    }

    // MARK: The daemon's work

    func call<C: Call>(_ request: C) async throws -> C.Reply {
        let connection = try #require(daemon.connection)
        return try await connection.call(request)
    }

    /// Adds the domain, and lists what is in it so far.
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

    /// Whether a file's bytes are on this machine.
    func isHere(_ path: String) async throws -> Bool {
        let place = ItemPlace(text: Self.domain + ":" + path, path: mount + "/" + path)
        return try await call(DescribeItemCall(place: place)).state != .dataless
    }

    /// Waits until the service has everything.
    func settled() async throws {
        try await eventually("the service has everything") {
            let activity = try await activity()
            return activity.domain.state == .running && activity.uploadsWaiting + activity.uploadsInFlight == 0
        }
    }

    /// Expects a folder's contents, at the provider and in the mount. What a killed process left half made in the cloud is hidden, and
    /// goes by itself.
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

    /// The number of the daemon's process.
    var processID: pid_t { daemon.processID }

    /// The numbers of the provider's processes.
    var providers: [pid_t] { daemon.children }

    /// Runs `purvey` to its end, and gives what it says.
    func purvey(_ arguments: String...) throws -> (ending: ChildProgram.Ending, text: String) {
        try daemon.purvey(arguments)
    }

    // MARK: What is left

    /// Expects that nothing waits and nothing was left behind, after the daemon ended in good order.
    func expectNothingLeft(sourceLocation: SourceLocation = #_sourceLocation) throws {
        #expect(try Leftovers.find(data: data, home: home) == [], sourceLocation: sourceLocation)
        // Copies that the provider had when it was ended go when it is started again; what is half made is none of these.
        let left = try Tree.read(container).keys.filter { path in
            path.contains("/.purvey-") || path.hasPrefix("tmp/domain-") && path.split(separator: "/").count > 2
        }
        #expect(left == [], sourceLocation: sourceLocation)
    }
}

/// Looks again and again until something is so; a busy machine may take long.
func eventually(
    _ what: String, sourceLocation: SourceLocation = #_sourceLocation, _ condition: () async throws -> Bool
) async throws {
    for _ in 0..<12_000 {
        if try await condition() { return }
        try await Task.sleep(for: .milliseconds(20))
    }
    Issue.record("never: \(what)", sourceLocation: sourceLocation)
}
