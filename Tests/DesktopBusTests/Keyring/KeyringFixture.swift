import DaemonTesting
import FileTesting
import Foundation
import LinuxSystem
import ProgramTesting
import Testing

/// A test's own message bus and daemon, with a provider that stores passwords, and a keyring if the test starts one.
struct KeyringFixture {
    let daemon: StartedDaemon
    let bus: PrivateBus
    /// The directory of the bus, the daemon and the keyring.
    let home: String

    private static let identifier = "org.example.setup.keyring"

    static func run(_ body: (KeyringFixture) async throws -> Void) async throws {
        let temporary = (NSTemporaryDirectory() as NSString).standardizingPath
        let home = temporary + "/pvk-" + UUID().uuidString.prefix(8)
        try FileManager.default.createDirectory(atPath: home, withIntermediateDirectories: true)
        let bus = try PrivateBus(home)
        try await bus.start()
        let fixture = KeyringFixture(daemon: try StartedDaemon(home: home + "/h"), bus: bus, home: home)
        try FileManager.default.createDirectory(atPath: fixture.daemon.home, withIntermediateDirectories: true)
        let failure: (any Error)?
        do {
            try await fixture.installProvider()
            try await body(fixture)
            failure = nil
        } catch {
            failure = error
        }
        let isGone = try await onThread { [daemon = fixture.daemon] in
            _ = daemon.end()
            return daemon.removeHome(mount: daemon.home + "/mounts/Cloud")
        }
        await bus.end()
        try? FileManager.default.removeItem(atPath: home)
        #expect(isGone)
        if let failure { throw failure }
    }

    private func installProvider() async throws {
        let bundle = home + "/SetUp.appex"
        try FileManager.default.createDirectory(atPath: bundle, withIntermediateDirectories: true)
        let list: [String: Any] = [
            "CFBundleIdentifier": Self.identifier, "CFBundleName": "Set-Up", "CFBundleExecutable": "SetUpProvider",
            "NSExtension": [
                "NSExtensionPointIdentifier": "com.apple.fileprovider-nonui",
                "NSExtensionPrincipalClass": "$(PRODUCT_MODULE_NAME).SetUpProvider", "PurveyShortName": "keyring",
                "PurveyDomainSettings": ["does": "what its set-up does", "user?": "a name"],
            ] as [String: Any],
        ]
        try PropertyListSerialization.data(fromPropertyList: list, format: .xml, options: 0)
            .write(to: URL(fileURLWithPath: bundle + "/Info.plist"))
        try await copyProgram("SetUpProvider", into: bundle)
        try Data("open sesame\n".utf8).write(to: URL(fileURLWithPath: home + "/password"))
        try await startDaemon()
        try await succeed("extensions", "install", "--link", bundle)
    }

    /// Copies a built program. Another process does that: a file that this process has open for writing cannot be
    /// executed while any fork has the descriptor.
    private func copyProgram(_ name: String, into bundle: String) async throws {
        let program = try BuiltProgram.path(name)
        try await onThread {
            let copy = try ChildProgram.start("/bin/cp", arguments: [program, bundle + "/" + name], descriptors: [])
            try #require(try copy.wait() == .exited(0))
        }
    }

    /// Installs this repository's Nextcloud provider.
    func installNextcloud() async throws {
        let bundle = home + "/Nextcloud.appex"
        try FileManager.default.createDirectory(atPath: bundle, withIntermediateDirectories: true)
        var root = URL(filePath: #filePath)
        for _ in 0..<4 { root.deleteLastPathComponent() }
        try FileManager.default.copyItem(
            atPath: root.path + "/Providers/Nextcloud/Info.plist", toPath: bundle + "/Info.plist")
        try await copyProgram("Nextcloud", into: bundle)
        try await succeed("extensions", "install", "--link", bundle)
    }

    /// Starts the daemon.
    ///
    /// - Parameter place: the place of the key, as in `PURVEY_KEYRING`.
    func startDaemon(_ place: String = "desktop") async throws {
        let variables = ["PURVEY_BUS=", "DBUS_SESSION_BUS_ADDRESS=" + bus.address, "PURVEY_KEYRING=" + place]
        try await onThread { [daemon] in try daemon.start(variables) }
    }

    func endDaemon() async throws {
        let ending = try await onThread { [daemon] in daemon.end() }
        #expect(ending == .exited(0))
    }

    /// Runs `purvey` to its end.
    func purvey(_ arguments: String...) async throws -> (ending: ChildProgram.Ending, text: String) {
        try await onThread { [daemon] in try daemon.purvey(arguments) }
    }

    /// Runs `purvey`, which must succeed.
    @discardableResult
    func succeed(_ arguments: String...) async throws -> String {
        let (ending, text) = try await onThread { [daemon] in try daemon.purvey(arguments) }
        try #require(ending == .exited(0), "\(arguments): \(text)")
        return text
    }

    /// Adds a domain whose provider stores the password "open sesame".
    func addDomain(_ name: String = "Cloud") async throws {
        try await succeed(
            "domains", "add", "--password-file", home + "/password", "keyring", name, "does=asks", "user=ada")
    }

    /// Returns the line of `purvey status` with the passwords that the provider can read.
    func passwords(_ name: String = "Cloud") async throws -> String {
        let text = try await succeed("status", name)
        let line = text.split(separator: "\n").first { $0.hasPrefix("   passwords") }
        return line.map { $0.dropFirst("   passwords".count).trimmingCharacters(in: .whitespaces) } ?? text
    }

    /// The files with the key, which are none if it is in the keyring.
    var keyFiles: [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: daemon.home + "/data/keys")) ?? []
    }

    /// Polls until a condition holds. A busy machine may take long.
    func eventually(_ what: String, _ condition: () async throws -> Bool) async throws {
        for _ in 0..<3_000 {
            if try await condition() { return }
            try await Task.sleep(for: .milliseconds(100))
        }
        Issue.record("never: \(what)")
    }

    // MARK: Keyrings

    private static let gnomeKeyring = "/usr/bin/gnome-keyring-daemon"

    /// Starts GNOME's keyring with its default collection unlocked, and waits until it serves it.
    func startGnomeKeyring() async throws -> RunningProgram {
        try FileManager.default.createDirectory(
            atPath: home + "/keyring/run", withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
        let keyring = try RunningProgram(
            Self.gnomeKeyring, ["--unlock", "--foreground", "--components=secrets"],
            environment: [
                "DBUS_SESSION_BUS_ADDRESS": bus.address, "HOME": home + "/keyring",
                "XDG_DATA_HOME": home + "/keyring/data", "XDG_RUNTIME_DIR": home + "/keyring/run",
                "GNOME_KEYRING_CONTROL": nil,
            ], input: .bytes(Data("keyring password".utf8)))
        try await eventually("the keyring is unlocked") {
            try await collection("org.freedesktop.DBus.Properties.Get", "org.freedesktop.Secret.Collection", "Locked")
                .text.contains("false")
        }
        return keyring
    }

    /// Whether a test with GNOME's keyring runs.
    static var hasGnomeKeyring: Bool { Requirement.isWanted(program: "gnome-keyring-daemon") }

    /// Locks the default collection of GNOME's keyring.
    func lockGnomeKeyring() async throws {
        let run = try await bus.gdbus([
            "call", "--session", "-d", "org.freedesktop.secrets", "-o", "/org/freedesktop/secrets", "-m",
            "org.freedesktop.Secret.Service.Lock", "['\(Self.collectionPath)']",
        ]).end()
        try #require(run.status == 0, "\(run)")
    }

    private static let collectionPath = "/org/freedesktop/secrets/collection/login"

    private func collection(_ method: String, _ arguments: String...) async throws -> ProgramRun {
        try await bus.gdbus(
            ["call", "--session", "-d", "org.freedesktop.secrets", "-o", Self.collectionPath, "-m", method] + arguments
        ).end()
    }

    /// Starts a Secret Service that misbehaves according to the mode, and waits until it serves.
    func startSecretService(_ mode: String) async throws -> RunningProgram {
        try await DesktopPart.start("secret-service", [mode, home + "/keyring.json"], on: bus)
    }
}
