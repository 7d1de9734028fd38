import AppExtension
import Conduit
import Exchange
import ExtensionHost
import FileProvider
import FileProviderEngine
import Foundation
import Glibc
import LinuxSystem
import Testing

/// A daemon of a test's own, with the provider that ships over a folder, mounted. It dies as often as the test wants. All of it is gone
/// afterwards.
final class DaemonPlace: Sendable {
    /// `PURVEY_HOME` of the daemon.
    let home: String
    /// The folder that is served as a cloud.
    let cloud: String
    private let locations: Locations

    private struct State {
        var daemon: ChildProgram?
        var connection: Connection?
    }

    private let state = Lock(State())

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
        locations = try Locations(environment: ["PURVEY_HOME": home], user: getuid())
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
            "/bin/cp", arguments: ["-l", Self.program("LocalFolder"), bundle + "/LocalFolder"], descriptors: [])
        if try copy.wait() != .exited(0) {
            let copy = try ChildProgram.start(
                "/bin/cp", arguments: [Self.program("LocalFolder"), bundle + "/LocalFolder"], descriptors: [])
            try #require(try copy.wait() == .exited(0))
        }
        try ExtensionLibrary(data: locations.data).install(path: bundle, link: true)
    }

    // MARK: The daemon's life

    /// Starts the daemon, and waits until it listens.
    ///
    /// - Parameters:
    ///   - step: the step at which it dies, as `PURVEY_FAULT_POINT` has it.
    ///   - providerStep: the step at which its first provider's process dies.
    ///   - variables: further `NAME=value`.
    func start(dyingAt step: String? = nil, providerDyingAt providerStep: String? = nil, _ variables: [String] = [])
        throws
    {
        var environment = ProcessInfo.processInfo.environment
        environment["PURVEY_HOME"] = home
        environment["PURVEY_COORDINATION"] = nil
        environment["PURVEY_FAULT_POINT"] = step
        environment["PURVEY_PROVIDER_FAULT_POINT"] = providerStep
        try PrivateFolder.make(locations.runtime)
        let (ours, theirs) = try StartMessages.channel()
        let log = try FileDescriptor.open(home + "/daemon.log", [.writeOnly, .create, .append])
        let child = try ChildProgram.start(
            Self.program("purveyd"), arguments: ["--foreground", "--log", "debug", "--ready-descriptor", "3"],
            environment: environment.map { "\($0.key)=\($0.value)" } + variables,
            descriptors: [nil, log, log, consume theirs])
        state.withLock { $0.daemon = child }
        let answer = try StartMessages.collect(from: ours, seconds: 300)
        try #require(answer == "ready", "the daemon says: \(answer)")
        let connection = try Connection.connect(to: locations.socket)
        state.withLock { $0.connection = connection }
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

    var processID: pid_t { state.withLock { $0.daemon?.processID ?? -1 } }

    /// Waits until the daemon has died at the step that it was to die at.
    func expectDeath(at step: String, sourceLocation: SourceLocation = #_sourceLocation) {
        let ending = awaitEnd()
        #expect(ending == .signalled(SIGKILL), "\(step)", sourceLocation: sourceLocation)
        if ending == nil { kill() }
    }

    /// Ends the daemon the hard way.
    func kill() {
        guard processID > 0 else { return }
        Glibc.kill(processID, SIGKILL)
        _ = awaitEnd()
    }

    /// Ends the daemon in good order.
    func stop(sourceLocation: SourceLocation = #_sourceLocation) {
        Glibc.kill(processID, SIGTERM)
        let ending = awaitEnd()
        #expect(ending == .exited(0), sourceLocation: sourceLocation)
        if ending == nil { kill() }
    }

    /// How the daemon ended; `nil` when it goes on and on.
    private func awaitEnd() -> ChildProgram.Ending? {
        let daemon = processID
        guard daemon > 0 else { return nil }
        var looksAtDead = 0
        for _ in 0..<12_000 {
            var status: CInt = 0
            let isReaped = waitpid(daemon, &status, WNOHANG) == daemon
            // One of its threads may be in the kernel still, which the next daemon sees to.
            if !isReaped, Self.isDead(daemon) { looksAtDead += 1 }
            if isReaped || looksAtDead > 100 {
                if !isReaped { Self.reapLater(daemon) }
                state.withLock { $0 = State() }
                let signal = isReaped ? status & 0x7F : SIGKILL
                return signal == 0 ? .exited(status >> 8 & 0xFF) : .signalled(signal)
            }
            usleep(10_000)
        }
        return nil
    }

    /// Waits elsewhere for what is dead and cannot be waited for yet: as long as a child that ended is left, this process's exit
    /// tests hear of the end of no other.
    private static func reapLater(_ process: pid_t) {
        Thread.detachNewThread {
            var status: CInt = 0
            while waitpid(process, &status, 0) < 0, errno == EINTR {}
        }
    }

    /// Whether a process has ended but for threads that cannot end yet.
    private static func isDead(_ process: pid_t) -> Bool { status(of: process).first == "Z" }

    /// The fields of `/proc/PID/stat` from the third on.
    private static func status(of process: pid_t) -> [Substring] {
        let text = (try? Files.read("/proc/\(process)/stat")) ?? ""
        // The name, in parentheses, may hold anything.
        return text[(text.lastIndex(of: ")") ?? text.startIndex)...].split(separator: " ").dropFirst().map { $0 }
    }

    /// Whether a process stands still, as after SIGSTOP.
    static func isStopped(_ process: pid_t) -> Bool { status(of: process).first == "T" }

    /// Whether a process is there and not dead.
    static func isAlive(_ process: pid_t) -> Bool { Glibc.kill(process, 0) == 0 && !isDead(process) }

    private func end() async {
        if processID > 0 {
            Glibc.kill(processID, SIGCONT)
            Glibc.kill(processID, SIGTERM)
            if awaitEnd() == nil { kill() }
        }
        _ = try? ChildProgram.start("/bin/umount", arguments: ["-l", "-q", mount], descriptors: []).wait()
        // What the daemon ran may write there until it has ended, a moment after the daemon.
        for _ in 0..<30_000 {
            try? FileManager.default.removeItem(atPath: home)
            if !FileManager.default.fileExists(atPath: home) { return }
            usleep(10_000)
        }
        Issue.record("\(home) cannot be removed")
    }

    // MARK: The daemon's work

    func call<C: Call>(_ request: C) async throws -> C.Reply {
        let connection = try #require(state.withLock { $0.connection })
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

    /// The numbers of the provider's processes.
    var providers: [pid_t] {
        let daemon = processID
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return names.compactMap { pid_t($0) }.filter { process in
            let fields = Self.status(of: process)
            return fields.count > 1 && pid_t(fields[1]) == daemon && fields[0] != "Z"
        }
    }

    /// Runs `purvey` to its end, and gives what it says.
    func purvey(_ arguments: String...) throws -> (ending: ChildProgram.Ending, text: String) {
        let path = home + "/output-" + UUID().uuidString
        let output = try FileDescriptor.open(path, [.readWrite, .create, .append])
        let environment = ProcessInfo.processInfo.environment.merging(["PURVEY_HOME": home]) { $1 }
        let ending = try ChildProgram.start(
            Self.program("purvey"), arguments: arguments, environment: environment.map { "\($0.key)=\($0.value)" },
            descriptors: [nil, output, output]
        ).wait()
        unlink(path)
        return (ending, String(decoding: try output.reopen(.readOnly).readToEnd(limit: 1 << 20), as: UTF8.self))
    }

    // MARK: What is left

    /// Expects that nothing waits and nothing was left behind, after the daemon ended in good order.
    func expectNothingLeft(sourceLocation: SourceLocation = #_sourceLocation) throws {
        let entries = try Journal(path: data + "/journal.db").all()
        #expect(entries.isEmpty, "the journal is not empty", sourceLocation: sourceLocation)
        for folder in [data + "/edits", data + "/uploads"] + (try Tree.folders(named: "incoming", in: home)) {
            let names = try FileManager.default.contentsOfDirectory(atPath: folder)
            #expect(names == [], "\(folder)", sourceLocation: sourceLocation)
        }
        // Copies that the provider had when it was ended go when it is started again; what is half made or not sent is none of these.
        let left = try Tree.read(container).keys.filter { path in
            path.hasSuffix(".unsent") || path.contains("/.purvey-")
                || path.hasPrefix("tmp/domain-") && path.split(separator: "/").count > 2
        }
        #expect(left == [], sourceLocation: sourceLocation)
    }

    /// The path of a program that was built beside the tests.
    static func program(_ name: String) -> String {
        let own = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        for path in [own] + CommandLine.arguments {
            let candidate = (path as NSString).deletingLastPathComponent + "/" + name
            if access(candidate, X_OK) == 0 { return candidate }
        }
        return name
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
