import FileTesting
import Foundation
import LinuxSystem
import ScriptableService
import Testing

/// A daemon of a test's own with one mounted domain: a directory that the provider "On This Machine" serves, or a
/// service of a scriptable provider. Everything is removed afterwards.
///
/// All calls block.
final class MountFixture {
    private let folder: TestFolder
    /// The user who runs the daemon and the programs; `nil` for the user of the tests.
    private let user: uid_t?
    /// A view in which that user may open the device, if necessary.
    private let openDevice: OpenDevice?
    private let programs: String
    /// The helper of root that enables passthrough for daemons without privileges.
    private var helper: ChildProgram?

    private var home: String { folder.path + "/home" }
    /// The service, if the provider is scriptable.
    private let service: StartedCloud?

    /// The served directory, `$C` in scripts. For a service it is a copy from the last comparison with the mount.
    var cloud: String { folder.path + "/cloud" }
    /// A directory for the test's own files, `$S` in scripts.
    var scratch: String { folder.path + "/scratch" }
    /// The path of the mount point, `$M` in scripts.
    var mount: String { home + "/mounts/Work" }

    /// Whether this machine lets tests mount; CI has to.
    static let isWanted = Requirement.isEnforced || access("/dev/fuse", R_OK | W_OK) == 0

    /// The number of a user without privileges.
    static let another: uid_t = 65534

    /// Whether tests can become that user; CI has to allow it.
    static let canBeAnother = Requirement.isEnforced || geteuid() == 0

    /// Helpers for a user without privileges; the user of the tests has all of them.
    struct Surroundings: OptionSet {
        let rawValue: Int

        /// The keeper, which restarts a daemon that died and meanwhile holds its mounts.
        static let keeper = Surroundings(rawValue: 1)
        /// A `purvey-passthrough`, as root runs it.
        static let passthrough = Surroundings(rawValue: 2)
    }

    /// The provider that serves the domain.
    enum Server: CaseIterable {
        /// The provider "On This Machine".
        case folder
        /// A scriptable provider with paths as identifiers, which stores its files itself.
        case documentPaths
        /// The same, while the system stores the files.
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
    ///   - user: The user who runs the daemon and the programs; changing to another requires root.
    ///   - surroundings: The helpers for that user.
    ///   - server: The provider that serves the domain.
    static func run(
        as user: uid_t? = nil, with surroundings: Surroundings = [], servedBy server: Server = .folder,
        _ body: (MountFixture) throws -> Void
    ) throws {
        let place = try MountFixture(user, surroundings, server)
        defer { place.end() }
        try place.start()
        try body(place)
    }

    private init(_ user: uid_t?, _ surroundings: Surroundings, _ server: Server) throws {
        // The path is short, because that of the daemon's socket may have 107 bytes at most.
        folder = try TestFolder(in: (NSTemporaryDirectory() as NSString).standardizingPath)
        self.user = user
        programs = user == nil ? Self.builtPrograms : folder.path + "/programs"
        openDevice = try user == nil ? nil : OpenDevice(in: folder)
        helper = try surroundings.contains(.passthrough) ? Self.startHelper(at: Self.helperSocket(in: folder)) : nil
        for name in ["cloud", "scratch"] { try folder.folder(name) }
        service = try Self.startService(server.model, in: folder)
        guard let user else { return }
        // Another user may have no access to the directory of the built programs.
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
        // The test runner may be a program of the toolchain that was given the tests as a library.
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
        /// The text on standard output and standard error.
        let output: String
    }

    /// Runs a shell script until its end or its first failing command.
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
    /// - Returns: Its output.
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
        // The machine's own helper is not used.
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
        // The tests may be run by make. Without these variables, another make does not act as its submake, and prints
        // less.
        for name in ["MAKEFLAGS", "MAKELEVEL", "MFLAGS"] { environment[name] = nil }
        return environment.map { "\($0.key)=\($0.value)" }
    }

    // MARK: Results

    /// Waits until the provider has all changes that were made in the mount.
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

    /// Waits until the provider has everything, and compares its directory with the mount: names, kinds, links,
    /// contents, and which files are executable.
    func expectThatTheProviderHasAll(at location: SourceLocation = #_sourceLocation) throws {
        try settle(at: location)
        // The provider's reports of recent uploads may still be under way.
        var outcome = try compareTrees()
        for _ in 0..<3_000 where outcome.ending != .exited(0) {
            usleep(100_000)
            outcome = try compareTrees()
        }
        #expect(outcome.ending == .exited(0), "\(outcome.output.suffix(2000))", sourceLocation: location)
    }

    /// Writes a file at the provider, without the daemon's knowledge.
    func put(_ path: String, _ text: String) throws {
        if let service { return try service.control.put(path, text) }
        let file = try FileDescriptor.open(
            cloud + "/" + path, [.writeOnly, .create, .truncate], permissions: 0o644)
        try Array(text.utf8).withUnsafeBytes { try file.writeAll($0) }
    }

    /// Copies the service's items to the directory.
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

    /// Returns the daemon's process, starting a daemon if none runs.
    func daemon() throws -> pid_t {
        let status = try shell("purvey status --json")
        let object = try JSONSerialization.jsonObject(with: Data(status.utf8)) as? [String: Any]
        return pid_t(try #require(object?["daemon"] as? Int))
    }

    /// Ends the daemon; the next command starts another, unless the keeper does.
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

    /// Ends root's helper, if it runs.
    func endHelper() {
        guard let helper = helper.take() else { return }
        kill(helper.processID, SIGKILL)
        _ = try? helper.wait()
    }

    /// Replaces the daemon's program with another one during a function.
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
        // The daemon's children may write to the directory until they have ended, a moment after the daemon.
        for _ in 0..<30_000 where access(home, F_OK) == 0 {
            try? FileManager.default.removeItem(atPath: home)
            usleep(10_000)
        }
    }
}
