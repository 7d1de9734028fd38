import BrowserTesting
import DaemonTesting
import DesktopTesting
import Foundation
import Glibc
import LinuxSystem
import ProgramTesting
import Testing

/// An X display and a session bus for one test. The bus starts only a few of the machine's services: for assistive
/// technologies, for the view of the trash, and for settings of Xfce.
final class Desk: Sendable {
    /// The directory of all files of programs on the display.
    let folder: String
    let address: String
    /// The environment variables of programs on the display.
    let environment: [String: String?]
    let pixels: DisplayPixels
    private let server: RunningProgram
    private let bus: RunningProgram

    /// The directory for files that are usually installed in `/usr/share`. Programs also read the machine's
    /// `/usr/share`.
    var share: String { folder + "/share" }

    private static let services = ["org.a11y.Bus", "org.gtk.vfs.Daemon", "org.xfce.Xfconf"]

    /// Starts the display and the bus.
    ///
    /// - Parameter folder: A directory whose path is short enough for a socket in it.
    init(_ folder: String) async throws {
        self.folder = folder
        address = "unix:path=\(folder)/bus"
        pixels = DisplayPixels(folder: folder)
        let files = FileManager.default
        for name in ["home", "config", "data", "cache", "services"] {
            try files.createDirectory(atPath: folder + "/" + name, withIntermediateDirectories: true)
        }
        for name in Self.services {
            let file = "/\(name).service"
            // The service for settings of Xfce exists only if Xfce is installed.
            try? files.copyItem(atPath: "/usr/share/dbus-1/services" + file, toPath: folder + "/services" + file)
        }
        try """
        <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
         "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
        <busconfig>
          <type>session</type>
          <listen>\(address)</listen>
          <servicedir>\(folder)/services</servicedir>
          <policy context="default">
            <allow send_destination="*" eavesdrop="true"/>
            <allow eavesdrop="true"/>
            <allow own="*"/>
          </policy>
        </busconfig>
        """.write(toFile: folder + "/bus.conf", atomically: false, encoding: .utf8)
        let server = try RunningProgram(
            "/usr/bin/Xvfb",
            ["-displayfd", "1", "-screen", "0", "1100x800x24", "-fbdir", folder, "-nolisten", "tcp", "-noreset"])
        let display = try #require(try await server.lines(1).first, "Xvfb does not start")
        let environment: [String: String?] = [
            "DISPLAY": ":\(display)", "WAYLAND_DISPLAY": nil, "GDK_BACKEND": "x11", "GSK_RENDERER": "cairo",
            "HOME": folder + "/home", "TMPDIR": folder, "XDG_RUNTIME_DIR": folder,
            "XDG_CONFIG_HOME": folder + "/config", "XDG_DATA_HOME": folder + "/data",
            "XDG_CACHE_HOME": folder + "/cache",
            "XDG_DATA_DIRS": folder + "/share:/usr/local/share:/usr/share", "XDG_CURRENT_DESKTOP": nil,
            "GSETTINGS_BACKEND": "keyfile", "GVFS_DISABLE_FUSE": "1", "GIO_USE_VOLUME_MONITOR": "unix",
            "SESSION_MANAGER": nil, "DBUS_SESSION_BUS_ADDRESS": address,
            "DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/nonexistent", "LC_ALL": "C.UTF-8",
        ]
        bus = try RunningProgram(
            "/usr/bin/dbus-daemon",
            ["--config-file=\(folder)/bus.conf", "--nofork", "--nopidfile", "--print-address"],
            environment: environment)
        (self.server, self.environment) = (server, environment)
        try #require(try await bus.hasPrinted("unix:"), "dbus-daemon does not start")
    }

    /// Ends the display, the bus and the services that it has started.
    func end() async throws {
        for program in [bus, server] {
            program.send(SIGTERM)
            _ = try await program.end()
        }
        try await onThread { [mark = "XDG_RUNTIME_DIR=\(folder)\0"] in
            // The services end shortly after the bus.
            for attempt in 0..<1_200 {
                let left = Self.processes(with: mark)
                if left.isEmpty { return }
                if attempt > 200 { for process in left { kill(process, SIGKILL) } }
                usleep(50_000)
            }
            throw BrowsedCloud.Failed("processes of the display do not end")
        }
    }

    /// Returns the running processes whose environment contains the given variable.
    private static func processes(with mark: String) -> [pid_t] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return names.compactMap { pid_t($0) }.filter { process in
            let variables = (try? Files.read("/proc/\(process)/environ")) ?? ""
            return (variables + "\0").contains(mark) && ProcessState.isAlive(process)
        }
    }

    /// Runs a program on the display until it ends.
    func run(_ program: String, _ arguments: [String]) async throws -> ProgramRun {
        try await RunningProgram(program, arguments, environment: environment).end()
    }
}
