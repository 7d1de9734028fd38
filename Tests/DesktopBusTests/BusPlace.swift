import DaemonTesting
import Foundation
import LinuxSystem
import ProgramTesting
import ScriptableService
import Testing

/// A message bus and a daemon of a test's own, with a domain "Cloud" of a service that does what the test tells it.
struct BusPlace {
    let daemon: StartedDaemon
    let bus: PrivateBus
    let cloud: StartedCloud
    /// Where the domain is mounted.
    let mount: String

    static let name = "org.purvey.Purvey1"
    static let root = "/org/purvey/Purvey1"

    /// Runs a test in such a place.
    ///
    /// - Parameters:
    ///   - variables: `NAME=value`, for the daemon; the bus's address otherwise.
    ///   - isShown: whether the domains come to be on the bus, which is waited for.
    static func run(
        _ variables: (PrivateBus) -> [String] = { ["PURVEY_BUS=", "DBUS_SESSION_BUS_ADDRESS=" + $0.address] },
        isShown: Bool = true, _ body: (BusPlace) async throws -> Void
    ) async throws {
        let temporary = (NSTemporaryDirectory() as NSString).standardizingPath
        let home = temporary + "/pvb-" + UUID().uuidString.prefix(8)
        try FileManager.default.createDirectory(atPath: home, withIntermediateDirectories: true)
        let bus = try PrivateBus(home)
        try await bus.start()
        let daemon = try StartedDaemon(home: home + "/h")
        let variables = variables(bus)
        let cloud = try await onThread {
            let program = try BuiltProgram.path("ScriptableProvider")
            let cloud = try StartedCloud(program: program, folder: home + "/service")
            try FileManager.default.createDirectory(atPath: daemon.home, withIntermediateDirectories: true)
            try StartedCloud.makeBundle(at: home + "/Scriptable.appex", program: program)
            try daemon.start(variables)
            return cloud
        }
        let place = BusPlace(daemon: daemon, bus: bus, cloud: cloud, mount: daemon.home + "/mounts/Cloud")
        let failure: (any Error)?
        do {
            try await place.succeed("extensions", "install", "--link", home + "/Scriptable.appex")
            try await place.succeed("domains", "add", StartedCloud.providerIdentifier, "Cloud", "path=" + cloud.folder)
            if isShown { try await place.eventually("the domain is on the bus") { try await place.isOnBus() } }
            try await body(place)
            failure = nil
        } catch {
            failure = error
        }
        let isGone = try await onThread {
            _ = daemon.end()
            cloud.end()
            return daemon.removeHome(mount: place.mount)
        }
        await bus.end()
        try? FileManager.default.removeItem(atPath: home)
        #expect(isGone)
        if let failure { throw failure }
    }

    /// Runs `purvey`, which has to succeed.
    @discardableResult
    func succeed(_ arguments: String...) async throws -> String {
        let (ending, text) = try await onThread { [daemon] in try daemon.purvey(arguments) }
        try #require(ending == .exited(0), "\(arguments): \(text)")
        return text
    }

    /// Calls a method, with arguments as GVariant writes them.
    func call(_ method: String, _ arguments: String..., on path: String = root) async throws -> ProgramRun {
        try await bus.gdbus(["call", "--session", "-d", Self.name, "-o", path, "-m", method] + arguments).end()
    }

    /// Calls a method of the files', which has to succeed.
    @discardableResult
    func files(_ method: String, _ arguments: String...) async throws -> String {
        let run = try await bus.gdbus(
            ["call", "--session", "-d", Self.name, "-o", Self.root, "-m", "org.purvey.Purvey1.Files." + method]
                + arguments
        ).end()
        try #require(run.status == 0, "\(method): \(run)")
        return run.text
    }

    /// What is told of one path.
    func state(_ path: String) async throws -> String { try await files("GetStates", "['\(path)']") }

    /// The domains as the bus has them.
    func objects() async throws -> String {
        try await call("org.freedesktop.DBus.ObjectManager.GetManagedObjects").text
    }

    private func isOnBus() async throws -> Bool { try await objects().contains("'Name': <'Cloud'>") }

    /// Hears all signals, from when this returns.
    func listen() async throws -> RunningProgram {
        let monitor = try bus.gdbus(["monitor", "--session", "-d", Self.name])
        try #require(try await monitor.hasPrinted("is owned by"))
        return monitor
    }

    /// The processes beside the daemon that show the domains.
    var processes: [pid_t] {
        daemon.children.filter { process in
            (try? String(contentsOfFile: "/proc/\(process)/comm", encoding: .utf8)) == "purvey-bus\n"
        }
    }

    func write(_ text: String, to path: String) async throws {
        let whole = mount + "/" + path
        try await onThread { try Files.write(text, to: whole, O_WRONLY | O_CREAT | O_TRUNC) }
    }

    /// What the service is told, or asked.
    func tell<Value: Sendable>(_ body: @escaping @Sendable (CloudControl) throws -> Value) async throws -> Value {
        let control = cloud.control
        return try await onThread { try body(control) }
    }

    /// Looks again and again until something is so; a busy machine may take long.
    func eventually(_ what: String, _ condition: () async throws -> Bool) async throws {
        for _ in 0..<3_000 {
            if try await condition() { return }
            try await Task.sleep(for: .milliseconds(100))
        }
        Issue.record("never: \(what)")
    }
}

/// Runs something that blocks and may fail on a thread that may.
func onThread<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await HandlerThreads.shared.value(of: { Result { try body() } }).get()
}
