import DaemonTesting
import Foundation
import LinuxSystem
import ProgramTesting
import ScriptableService
import Testing

/// A test's own message bus and daemon, with a domain "Cloud" whose service the test controls.
struct BusFixture {
    let daemon: StartedDaemon
    let bus: PrivateBus
    let cloud: StartedCloud
    /// The domain's mount point.
    let mount: String

    static let name = "org.purvey.Purvey1"
    static let root = "/org/purvey/Purvey1"

    /// Runs a test with a bus and a daemon.
    ///
    /// - Parameters:
    ///   - variables: Environment variables of the daemon, as `NAME=value`. The default passes the bus's address.
    ///   - isShown: Whether the domains are expected on the bus. If so, the test waits for them.
    static func run(
        _ variables: (PrivateBus) -> [String] = { ["PURVEY_BUS=", "DBUS_SESSION_BUS_ADDRESS=" + $0.address] },
        isShown: Bool = true, _ body: (BusFixture) async throws -> Void
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
        let place = BusFixture(daemon: daemon, bus: bus, cloud: cloud, mount: daemon.home + "/mounts/Cloud")
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

    /// Runs `purvey`, which must succeed.
    @discardableResult
    func succeed(_ arguments: String...) async throws -> String {
        let (ending, text) = try await onThread { [daemon] in try daemon.purvey(arguments) }
        try #require(ending == .exited(0), "\(arguments): \(text)")
        return text
    }

    /// Calls a method, with arguments in GVariant's text format.
    func call(_ method: String, _ arguments: String..., on path: String = root) async throws -> ProgramRun {
        try await bus.gdbus(["call", "--session", "-d", Self.name, "-o", path, "-m", method] + arguments).end()
    }

    /// Calls a method of the files interface, which must succeed.
    @discardableResult
    func files(_ method: String, _ arguments: String...) async throws -> String {
        let run = try await bus.gdbus(
            ["call", "--session", "-d", Self.name, "-o", Self.root, "-m", "org.purvey.Purvey1.Files." + method]
                + arguments
        ).end()
        try #require(run.status == 0, "\(method): \(run)")
        return run.text
    }

    /// Returns the reported state of one path.
    func state(_ path: String) async throws -> String { try await files("GetStates", "['\(path)']") }

    /// Returns the domains as published on the bus.
    func objects() async throws -> String {
        try await call("org.freedesktop.DBus.ObjectManager.GetManagedObjects").text
    }

    private func isOnBus() async throws -> Bool { try await objects().contains("'Name': <'Cloud'>") }

    /// Starts to monitor all signals, and returns once they are received.
    func listen() async throws -> RunningProgram {
        let monitor = try bus.gdbus(["monitor", "--session", "-d", Self.name])
        try #require(try await monitor.hasPrinted("is owned by"))
        return monitor
    }

    /// The processes beside the daemon that publish the domains on the bus.
    var processes: [pid_t] {
        daemon.children.filter { process in
            (try? String(contentsOfFile: "/proc/\(process)/comm", encoding: .utf8)) == "purvey-bus\n"
        }
    }

    func write(_ text: String, to path: String) async throws {
        let whole = mount + "/" + path
        try await onThread { try Files.write(text, to: whole, O_WRONLY | O_CREAT | O_TRUNC) }
    }

    /// Runs a request to the service's control interface on a thread of its own.
    func tell<Value: Sendable>(_ body: @escaping @Sendable (CloudControl) throws -> Value) async throws -> Value {
        let control = cloud.control
        return try await onThread { try body(control) }
    }

    /// Polls until a condition holds. A busy machine may take long.
    func eventually(_ what: String, _ condition: () async throws -> Bool) async throws {
        for _ in 0..<3_000 {
            if try await condition() { return }
            try await Task.sleep(for: .milliseconds(100))
        }
        Issue.record("never: \(what)")
    }
}

/// Runs a blocking, throwing function on a handler thread.
func onThread<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await HandlerThreads.shared.value(of: { Result { try body() } }).get()
}
