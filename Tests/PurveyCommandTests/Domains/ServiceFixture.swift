import FileTesting
import Foundation
import LinuxSystem
import ProgramTesting
import ScriptableService
import Testing

/// A ``CommandFixture`` with a domain "Cloud" of a service that the test controls.
struct ServiceFixture {
    let place: CommandFixture
    let cloud: StartedCloud
    private let model: StartedCloud.Model
    private let keys: StartedCloud.Keys
    /// The path at which the domain is mounted.
    let mount: String

    var control: CloudControl { cloud.control }

    /// Runs a test with a fixture.
    ///
    /// - Parameters:
    ///   - files: The contents of the files that the service has before the domain is added, by path, the oldest
    ///     first.
    ///   - keys: Keys of the provider's property list.
    ///   - arrange: A closure that is called before the daemon starts.
    static func run(
        model: StartedCloud.Model = .documents, keys: StartedCloud.Keys = .init(),
        filling files: KeyValuePairs<String, String> = [:], arrange: (CommandFixture) throws -> Void = { _ in },
        _ body: (ServiceFixture) async throws -> Void
    ) async throws {
        try await CommandFixture.run { place in
            try arrange(place)
            let program = try BuiltProgram.path("ScriptableProvider")
            let folder = place.path("service")
            let cloud = try await onThread { try StartedCloud(program: program, folder: folder) }
            do {
                try await onThread {
                    for (path, text) in files { try cloud.control.put(path, text) }
                }
                try await body(try await ServiceFixture(place, cloud, model, keys))
            } catch {
                await offPool { cloud.end() }
                throw error
            }
            await offPool { cloud.end() }
        }
    }

    private init(
        _ place: CommandFixture, _ cloud: StartedCloud, _ model: StartedCloud.Model, _ keys: StartedCloud.Keys
    ) async throws {
        self.place = place
        self.model = model
        self.keys = keys
        self.cloud = cloud
        mount = place.home + "/mounts/Cloud"
        try await install()
        try await addDomain()
    }

    func addDomain() async throws {
        try await succeed("domains", "add", StartedCloud.providerIdentifier, "Cloud", "path=" + cloud.folder)
    }

    /// Installs the provider, replacing an installed one.
    ///
    /// - Parameter keys: Keys of the provider's property list; `nil` for those that the test began with.
    /// - Returns: The path of its bundle.
    @discardableResult
    func install(
        actions: [[String: String]] = StartedCloud.standardActions, keys: StartedCloud.Keys? = nil
    ) async throws -> String {
        let bundle = place.path("Scriptable-\(UUID().uuidString).appex")
        let (model, keys) = (model, keys ?? self.keys)
        try await onThread {
            try StartedCloud.makeBundle(
                at: bundle, program: try BuiltProgram.path("ScriptableProvider"), model: model, actions: actions,
                keys: keys)
        }
        try await succeed("extensions", "install", "--link", bundle)
        return bundle
    }

    /// The path of the bundle of the provider's user interface.
    var interfaceBundle: String { place.path("Interface.appex") }

    /// Installs the provider's user interface.
    func installInterface(timeLimit: Int, showsWindows: Bool = false) async throws {
        let bundle = interfaceBundle
        try await onThread {
            try StartedCloud.makeInterfaceBundle(
                at: bundle, program: try BuiltProgram.path("ScriptableProvider"), timeLimit: timeLimit,
                showsWindows: showsWindows)
        }
        try await succeed("extensions", "install", "--link", bundle)
    }

    /// Ends the daemon, and with it the provider's process; the next command starts another daemon.
    func restartWithoutExtension() async throws {
        try await place.endDaemon()
        try await eventually("the extension has ended") { extensionProcesses.isEmpty }
    }

    /// The processes of the provider.
    var extensionProcesses: [pid_t] { place.processes(of: place.path("Scriptable-")) }

    /// Runs `purvey`, which has to succeed.
    @discardableResult
    func succeed(_ arguments: String...) async throws -> CommandFixture.Outcome {
        let outcome = try await place.purvey(arguments)
        try #require(outcome.status == 0, "\(arguments): \(outcome.errors)")
        return outcome
    }

    /// Runs a closure with the service's control on a thread that may block.
    func tell<Value: Sendable>(_ body: @escaping @Sendable (CloudControl) throws -> Value) async throws -> Value {
        let control = control
        return try await onThread { try body(control) }
    }

    /// Returns the object that `purvey stat --json` prints.
    func item(_ path: String) async throws -> [String: Any] {
        let outcome = try await succeed("stat", "--json", "Cloud:" + path)
        return try JSONSerialization.jsonObject(with: outcome.output) as? [String: Any] ?? [:]
    }

    /// Returns the domain's part of `purvey status --json`.
    func status() async throws -> [String: Any] {
        let object = try JSONSerialization.jsonObject(with: try await succeed("status", "--json").output)
        return ((object as? [String: Any])?["domains"] as? [[String: Any]])?.first ?? [:]
    }

    func write(_ text: String, to path: String) async throws {
        let whole = mount + "/" + path
        try await onThread { try Data(text.utf8).write(to: URL(fileURLWithPath: whole)) }
    }

    func read(_ path: String) async -> String? {
        let whole = mount + "/" + path
        return await offPool { try? String(contentsOfFile: whole, encoding: .utf8) }
    }

    /// Returns the names in the mount, sorted.
    func names() async -> [String] {
        let mount = mount
        return await offPool { (try? FileManager.default.contentsOfDirectory(atPath: mount))?.sorted() ?? [] }
    }

    /// Returns an extended attribute of a file in the mount.
    func attribute(_ name: String, of path: String) async -> String? {
        let whole = mount + "/" + path
        return await offPool { (try? FileDescriptor.open(whole, .readOnly))?.attribute(name) }
    }

    /// Waits until a condition holds; a busy machine may be slow. Most conditions start a program, so the delays
    /// grow.
    func eventually(_ what: String, _ condition: () async throws -> Bool) async throws {
        var pause = 25
        for _ in 0..<600 {
            if try await condition() { return }
            try await Task.sleep(for: .milliseconds(pause))
            pause = min(pause * 3 / 2, 500)
        }
        Issue.record("never: \(what)")
    }
}

/// Runs a blocking, throwing closure on a thread that may block.
func onThread<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await offPool { Result { try body() } }.get()
}
