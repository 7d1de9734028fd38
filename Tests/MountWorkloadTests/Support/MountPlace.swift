import FileTesting
import Foundation
import LinuxSystem
import ScriptableService
import Testing

/// A daemon of a test's own with one domain: a folder that the provider "On This Machine" serves, or a service of a scriptable provider,
/// mounted. All of it is gone afterwards.
///
/// Everything here blocks.
final class MountPlace {
    private let folder: TestFolder
    /// Whom the daemon and the programs run as; `nil` for the user of the tests.
    private let user: uid_t?
    /// Where that one may not open the device otherwise.
    private let openDevice: OpenDevice?
    private let programs: String
    /// Root's, for daemons that have no right to pass files through.
    private var helper: ChildProgram?

    private var home: String { folder.path + "/home" }
    /// The service, if it is one of a scriptable provider.
    private let service: StartedCloud?

    /// The folder that is served, `$C` in scripts. Of a service it is a copy, from whenever that was compared with the mount last.
    var cloud: String { folder.path + "/cloud" }
    /// For files of the test's own, `$S` in scripts.
    var scratch: String { folder.path + "/scratch" }
    /// Where the domain is mounted, `$M` in scripts.
    var mount: String { home + "/mounts/Work" }

    /// Whether this machine lets tests mount; under CI it has to.
    static let isWanted = Requirement.isEnforced || access("/dev/fuse", R_OK | W_OK) == 0

    /// A user who has no rights.
    static let another: uid_t = 65534

    /// Whether tests can be that one; under CI they have to.
    static let canBeAnother = Requirement.isEnforced || geteuid() == 0

    /// What a user without rights has besides; the user of the tests has all of it.
    struct Surroundings: OptionSet {
        let rawValue: Int

        /// What starts a daemon again that has died, and keeps its mounts meanwhile.
        static let keeper = Surroundings(rawValue: 1)
        /// A `purvey-passthrough`, as root runs it.
        static let passthrough = Surroundings(rawValue: 2)
    }

    /// The provider that serves the domain.
    enum Server: CaseIterable {
        /// "On This Machine".
        case folder
        /// A scriptable provider whose identifiers are paths, and that keeps its files itself.
        case documentPaths
        /// The same, and the system keeps them.
        case replicaPaths

        fileprivate var model: StartedCloud.Model? {
            switch self {
            case .folder: nil
            case .documentPaths: .documentPaths
            case .replicaPaths: .replicaPaths
            }
        }
    }

    /// Runs a test with the domain mounted.
    ///
    /// - Parameters:
    ///   - server: what serves it.
    ///   - user: whom the daemon and the programs run as; changing to another takes root.
    ///   - surroundings: what that one has.
    static func run(
        as user: uid_t? = nil, with surroundings: Surroundings = [], servedBy server: Server = .folder,
        _ body: (MountPlace) throws -> Void
    ) throws {
        let place = try MountPlace(user, surroundings, server)
        defer { place.end() }
        try place.start()
        try body(place)
    }

    private init(_ user: uid_t?, _ surroundings: Surroundings, _ server: Server) throws {
        // Short, because the path of the daemon's socket may take 107 bytes at most.
        folder = try TestFolder(in: (NSTemporaryDirectory() as NSString).standardizingPath)
        self.user = user
        programs = user == nil ? Self.builtPrograms : folder.path + "/programs"
        openDevice = try user == nil ? nil : OpenDevice(in: folder)
        helper = try surroundings.contains(.passthrough) ? Self.startHelper(at: Self.helperSocket(in: folder)) : nil
        for name in ["cloud", "scratch"] { try folder.folder(name) }
        service = try Self.startService(server.model, in: folder)
        guard let user else { return }
        // Another user may be kept from where the programs were built.
        try FileManager.default.createDirectory(atPath: programs, withIntermediateDirectories: true)
        let names = ["purvey", "purveyd", "LocalFolder", "FileCheckPeer"]
        let files = (names + (surroundings.contains(.keeper) ? ["purvey-keeper"] : [])).map {
            Self.builtPrograms + "/" + $0
        }
        let copy = try ChildProgram.start("/bin/cp", arguments: files + [programs], descriptors: []).wait()
        try #require(copy == .exited(0))
        for path in [folder.path, cloud, scratch] { try retrying { chown(path, user, user) } }
    }

    private static let builtPrograms: String = {
        let own = (try? FileDescriptor.open("/proc/self/exe", .pathOnly).path) ?? ""
        // The test runner may be a program of the toolchain; then the tests are a library that it was given.
        let folders = ([own] + CommandLine.arguments).map { ($0 as NSString).deletingLastPathComponent }
        return folders.first { access($0 + "/purveyd", X_OK) == 0 } ?? "."
    }()

    private static func startService(_ model: StartedCloud.Model?, in folder: TestFolder) throws -> StartedCloud? {
        guard let model else { return nil }
        let program = builtPrograms + "/ScriptableProvider"
        try StartedCloud.makeBundle(at: folder.path + "/Scriptable.appex", program: program, model: model)
        let service = try StartedCloud(program: program, folder: folder.path + "/service")
        try service.control.change { $0.identifiersArePaths = model.identifiersArePaths }
        return service
    }

    private static func helperSocket(in folder: TestFolder) -> String { folder.path + "/passthrough" }

    private static func startHelper(at socket: String) throws -> ChildProgram {
        let helper = try ChildProgram.start(
            builtPrograms + "/purvey-passthrough", arguments: [socket],
            descriptors: [nil, nil, .copy(of: STDERR_FILENO)])
        for _ in 0..<30_000 where (try? FileStatus.of(socket).permissions) != 0o666 { usleep(10_000) }
        return helper
    }

    private func start() throws {
        if let service {
            try shell("purvey extensions install --link \"$S/../Scriptable.appex\"")
            let said = try shell(
                "purvey domains add \(StartedCloud.providerIdentifier) Work path=\"\(service.folder)\"")
            #expect(said == mount + "\n")
            return
        }
        let scripts = FileManager.default.currentDirectoryPath + "/Scripts"
        let source = FileManager.default.currentDirectoryPath + "/Providers/LocalFolder"
        let assembly = try ChildProgram.start(
            scripts + "/assemble-extension", arguments: [source, programs, folder.path], descriptors: []
        ).wait()
        try #require(assembly == .exited(0))
        try shell("purvey extensions install --link \"$S/../LocalFolder.appex\"")
        let said = try shell("purvey domains add org.purvey.LocalFolder Work path=\"$C\"")
        #expect(said == mount + "\n")
    }

    // MARK: Programs

    struct Outcome {
        let ending: ChildProgram.Ending
        /// What it said on both ways.
        let output: String
    }

    /// Runs a script of the shell to its end, which the first command ends that fails.
    func run(_ script: String) throws -> Outcome {
        let output = try FileDescriptor.open(folder.path, [.unnamedTemporary, .readWrite])
        var words = ["/bin/bash", "-euc", script]
        if let user {
            words = ["/usr/bin/setpriv", "--reuid=\(user)", "--regid=\(user)", "--clear-groups", "--"] + words
        }
        if let openDevice { words = openDevice.words + words }
        let ending = try ChildProgram.start(
            words[0], arguments: Array(words.dropFirst()), environment: environment,
            descriptors: [nil, output, output], workingFolder: scratch
        ).wait()
        return Outcome(ending: ending, output: String(decoding: try output.everything(), as: UTF8.self))
    }

    /// Runs a script that has to succeed.
    ///
    /// - Returns: what it said.
    @discardableResult
    func shell(_ script: String, at location: SourceLocation = #_sourceLocation) throws -> String {
        let outcome = try run(script)
        try #require(
            outcome.ending == .exited(0), "\(outcome.ending): \(outcome.output.suffix(2000))", sourceLocation: location)
        return outcome.output
    }

    private var environment: [String] {
        var environment = ProcessInfo.processInfo.environment
        environment["PURVEY_HOME"] = home
        // Not the machine's own, if it has one.
        environment["PURVEY_PASSTHROUGH"] = Self.helperSocket(in: folder)
        environment["HOME"] = scratch
        environment["TMPDIR"] = scratch
        environment["LC_ALL"] = "C.UTF-8"
        environment["PATH"] = programs + ":" + (environment["PATH"] ?? "/usr/bin:/bin")
        (environment["M"], environment["C"], environment["S"]) = (mount, cloud, scratch)
        for role in ["AUTHOR", "COMMITTER"] {
            environment["GIT_\(role)_NAME"] = "A Person"
            environment["GIT_\(role)_EMAIL"] = "person@example.org"
        }
        environment["GIT_CONFIG_NOSYSTEM"] = "1"
        // The tests may be run by make: another make would take itself for a part of that one, and say more.
        for name in ["MAKEFLAGS", "MAKELEVEL", "MFLAGS"] { environment[name] = nil }
        return environment.map { "\($0.key)=\($0.value)" }
    }

    // MARK: What becomes of it

    /// Waits until the provider has everything that was done in the mount.
    func settle(at location: SourceLocation = #_sourceLocation) throws {
        var last = ""
        for _ in 0..<3_000 {
            last = try shell("purvey status --json")
            if try Self.isQuiet(last) { return }
            usleep(100_000)
        }
        Issue.record("not everything was sent: \(last.prefix(2000))", sourceLocation: location)
    }

    private static func isQuiet(_ text: String) throws -> Bool {
        let status = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
        let domains = status?["domains"] as? [[String: Any]] ?? []
        return domains.allSatisfy { $0["uploads"] as? [String: Int] == ["waiting": 0, "inFlight": 0] }
    }

    /// Waits until the provider has everything, and holds its folder against the mount: names, kinds, links, bytes, and what can be
    /// run.
    func expectThatTheProviderHasAll(at location: SourceLocation = #_sourceLocation) throws {
        try settle(at: location)
        // What the provider tells of what it has just taken may still be on its way.
        var outcome = try compareTrees()
        for _ in 0..<3_000 where outcome.ending != .exited(0) {
            usleep(100_000)
            outcome = try compareTrees()
        }
        #expect(outcome.ending == .exited(0), "\(outcome.output.suffix(2000))", sourceLocation: location)
    }

    /// Puts a file to what is served, behind the daemon's back.
    func put(_ path: String, _ text: String) throws {
        if let service { return try service.control.put(path, text) }
        let file = try FileDescriptor.open(
            cloud + "/" + path, [.writeOnly, .create, .truncate], permissions: 0o644)
        try Array(text.utf8).withUnsafeBytes { try file.writeAll($0) }
    }

    /// Copies what the service has to the folder.
    private func copyService(_ service: StartedCloud) throws {
        try FileManager.default.removeItem(atPath: cloud)
        try folder.folder("cloud")
        for (path, found) in try service.control.everything().sorted(by: { $0.key < $1.key }) {
            let place = cloud + "/" + path
            switch found.item.kind {
            case .folder: try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: false)
            case .link:
                try FileManager.default.createSymbolicLink(
                    atPath: place, withDestinationPath: found.item.linkTarget ?? "")
            case .file:
                let file = try FileDescriptor.open(place, [.writeOnly, .create, .exclusive], permissions: 0o644)
                try found.contents.withUnsafeBytes { try file.writeAll($0) }
            }
        }
    }

    private func compareTrees() throws -> Outcome {
        if let service {
            try copyService(service)
            return try run(
                """
                list() { (cd "$1"; find . -mindepth 1 -printf '%P %y %l\\n' | sort); }
                diff <(list "$M") <(list "$C")
                diff -r --no-dereference "$M" "$C"
                """)
        }
        return try run(
            """
            list() { (cd "$1"; find . -mindepth 1 -printf '%P %y %l\\n' | sort; find . -type f -perm -100 | sort); }
            diff <(list "$M") <(list "$C")
            diff -r --no-dereference "$M" "$C"
            """)
    }

    /// The number of the daemon's process; one is started where there is none.
    func daemon() throws -> pid_t {
        let status = try shell("purvey status --json")
        let object = try JSONSerialization.jsonObject(with: Data(status.utf8)) as? [String: Any]
        return pid_t(try #require(object?["daemon"] as? Int))
    }

    /// Ends the daemon; the next command starts another, if the keeper does not.
    func endDaemon(by signal: CInt = SIGTERM) throws {
        let daemon = try ProcessDescriptor.open(daemon())
        try daemon.send(signal: signal)
        for _ in 0..<30_000 where !daemon.hasEnded { usleep(10_000) }
        #expect(daemon.hasEnded)
    }

    /// Starts a daemon again, and waits for the mount.
    func startDaemon() throws {
        for _ in 0..<3_000 {
            if try shell("purvey domains").contains(mount) { return }
            usleep(100_000)
        }
        Issue.record("the domain is not mounted again")
    }

    /// Waits until the daemon's keeper has its mount.
    func waitForKeeper(at location: SourceLocation = #_sourceLocation) {
        for _ in 0..<12_000 {
            if keepers.contains(where: hasDevice) { return }
            usleep(10_000)
        }
        Issue.record("no keeper has the mount", sourceLocation: location)
    }

    private var keepers: [pid_t] {
        let home = Data("PURVEY_HOME=\(home)\0".utf8)
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return names.compactMap { pid_t($0) }.filter { process in
            (try? String(contentsOfFile: "/proc/\(process)/comm", encoding: .utf8)) == "purvey-keeper\n"
                && FileManager.default.contents(atPath: "/proc/\(process)/environ")?.range(of: home) != nil
        }
    }

    private func hasDevice(_ process: pid_t) -> Bool {
        let folder = "/proc/\(process)/fd/"
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.contains {
            (try? FileManager.default.destinationOfSymbolicLink(atPath: folder + $0))?.hasSuffix("/fuse") ?? false
        }
    }

    /// Ends root's helper, if there is one.
    func endHelper() {
        guard let helper = helper.take() else { return }
        kill(helper.processID, SIGKILL)
        _ = try? helper.wait()
    }

    /// Has another program in the place of the daemon's, for those who start it from now on, while a function runs.
    func withDaemonsProgram(_ program: String, _ body: () throws -> Void) throws {
        let (path, aside) = (programs + "/purveyd", programs + "/aside")
        try retrying { rename(path, aside) }
        defer { rename(aside, path) }
        let copy = try ChildProgram.start("/bin/cp", arguments: [program, path], descriptors: []).wait()
        try #require(copy == .exited(0))
        try body()
    }

    private func end() {
        defer {
            endHelper()
            service?.end()
        }
        do {
            try endDaemon()
        } catch {
            Issue.record("the daemon does not end: \(error)")
        }
        // What the daemon ran may write there until it has ended, a moment after the daemon.
        for _ in 0..<30_000 where access(home, F_OK) == 0 {
            try? FileManager.default.removeItem(atPath: home)
            usleep(10_000)
        }
    }
}
