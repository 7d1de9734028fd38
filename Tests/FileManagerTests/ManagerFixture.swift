import BrowserTesting
import DaemonTesting
import DesktopTesting
import FileTesting
import Foundation
import Glibc
import LinuxSystem
import ProgramTesting
import Testing

/// A file manager on a separate display, and a mounted domain "Cloud" whose service the test controls.
final class ManagerFixture: Sendable {
    let manager: Manager
    let place: BrowsedCloud
    let desk: Desk
    let tree: AccessibilityBus
    // Leaf lock.
    private let running = Lock<RunningProgram?>(nil)

    /// Runs a test.
    ///
    /// - Parameter files: The files of the service, by path.
    static func run(
        _ manager: Manager, _ files: [String: String], _ body: (ManagerFixture) async throws -> Void
    ) async throws {
        let temporary = (NSTemporaryDirectory() as NSString).standardizingPath
        let folder = temporary + "/pvm-" + UUID().uuidString.prefix(8)
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let desk = try await Desk(folder)
        let result: Result<Void, any Error>
        do {
            try install(for: manager, desk)
            let variables = ["PURVEY_BUS=", "DBUS_SESSION_BUS_ADDRESS=" + desk.address]
            try await BrowsedCloud.run(files, daemonVariables: variables) { place in
                let tree = try await onThread { try AccessibilityBus(session: desk.address) }
                try await ManagerFixture(manager, place, desk, tree).run(body)
            }
            result = .success(())
        } catch {
            result = .failure(error)
        }
        try await desk.end()
        try FileManager.default.removeItem(atPath: folder)
        try result.get()
    }

    private init(_ manager: Manager, _ place: BrowsedCloud, _ desk: Desk, _ tree: AccessibilityBus) {
        self.manager = manager
        self.place = place
        self.desk = desk
        self.tree = tree
    }

    private func run(_ body: (ManagerFixture) async throws -> Void) async throws {
        do {
            try await eventually("the mount has a trash") { [trash = place.mount + "/.Trash-\(getuid())"] in
                try await onThread { Files.isThere(trash) }
            }
            try await body(self)
        } catch {
            let all = try? await onThread { [tree] in tree.nodes().map { "\($0.role) “\($0.title)”" } }
            let run = try await close()
            Issue.record("\(manager) has \(all?.joined(separator: ", ") ?? "") \(run?.description ?? "")")
            throw error
        }
        try await close()
    }

    /// Writes the settings, and installs the files that `make install` installs for file managers.
    private static func install(for manager: Manager, _ desk: Desk) throws {
        func write(_ text: String, to path: String) throws {
            let whole = desk.folder + "/config/" + path
            try FileManager.default.createDirectory(
                atPath: (whole as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
            try text.write(toFile: whole, atomically: false, encoding: .utf8)
        }
        try write(manager.settings, to: "glib-2.0/settings/keyfile")
        try write(Manager.thunarSettings, to: "xfce4/xfconf/xfce-perchannel-xml/thunar.xml")
        for emblem in Emblem.allCases {
            let path = "icons/hicolor/scalable/emblems/emblem-purvey-\(emblem.rawValue).svg"
            try DesktopFiles.install(path, in: desk.share, emblem.recolor)
        }
        try DesktopFiles.install("cloud-providers/org.purvey.Purvey1.ini", in: desk.share)
        // Installs into the user's directory, because Nemo and Caja read only this directory and /usr/share.
        if manager != .thunar {
            _ = try DesktopFiles.installExtension(for: manager.rawValue, in: desk.folder + "/data")
        }
    }

    // MARK: The program

    /// Shows a location in a new process of the file manager, which then has no other window.
    ///
    /// - Parameter location: A path or a URL.
    func open(_ location: String) async throws {
        try await close()
        var environment = desk.environment
        environment["PURVEY_HOME"] = place.daemon.home
        let program = try RunningProgram(
            manager.program, manager.arguments(showing: location), environment: environment)
        running.withLock { $0 = program }
    }

    /// Ends the file manager.
    @discardableResult
    private func close() async throws -> ProgramRun? {
        let program = running.withLock { program in
            defer { program = nil }
            return program
        }
        program?.send(SIGTERM)
        return try await program?.end()
    }
}

/// An emblem of the extension.
enum Emblem: String, CaseIterable {
    case cloud, error, kept, partial, uploading

    /// The color of the emblem in tests. Nothing else on the display has this color.
    var color: UInt32 {
        switch self {
        case .cloud: 0xFF00AA
        case .error: 0xAA00FF
        case .kept: 0x00FFAA
        case .partial: 0xAAFF00
        case .uploading: 0xFFAA00
        }
    }

    /// Returns the icon with ``color`` in place of the icon's own colors.
    func recolor(_ icon: String) -> String {
        // A color needs six digits. The added digit preserves leading zeros, and is dropped.
        let digits = String(0x100_0000 | color, radix: 16).dropFirst()
        return ["#3584e4", "#c01c28", "#26a269", "#e5a50a"].reduce(icon) { icon, own in
            icon.replacingOccurrences(of: own, with: "#" + digits)
        }
    }
}
