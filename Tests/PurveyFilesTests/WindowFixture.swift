import BrowserTesting
import DaemonTesting
import DesktopTesting
import Foundation
import Glibc
import LinuxSystem
import ProgramTesting
import ScriptableService
import Testing

/// A window of `purvey-files` on a separate X display, with a bus for assistive technologies and a keyboard.
struct WindowFixture {
    let place: BrowsedCloud
    let tree: AccessibilityBus
    /// The program that shows the window, or starts the program that does.
    let program: RunningProgram
    /// The X server, which a test may end.
    let display: RunningProgram
    private let environment: [String: String?]

    /// A function that returns the program that a test starts and its arguments, for the test's fixture.
    typealias Launch = (BrowsedCloud) -> (program: String, arguments: [String])

    /// The name of the list of items, which every window has.
    static let items = "Items"

    /// Runs a test with a window that shows the domain "Cloud".
    ///
    /// - Parameters:
    ///   - launch: the program that is started instead of such a window.
    ///   - more: additional environment variables of the program.
    ///   - diskMegabytes: the size of a separate disk for the data of all domains; `nil` for no separate disk.
    static func run(
        _ files: [String: String], launching launch: Launch = { _ in ("purvey-files", ["Cloud"]) },
        environment more: [String: String] = [:], diskMegabytes: Int? = nil,
        _ body: (WindowFixture) async throws -> Void
    ) async throws {
        try await BrowsedCloud.run(files, diskMegabytes: diskMegabytes) { place in
            let server = try RunningProgram(
                "/usr/bin/Xvfb", ["-displayfd", "1", "-screen", "0", "1100x800x24", "-nolisten", "tcp", "-noreset"])
            let display = try #require(try await server.lines(1).first, "Xvfb does not start")
            let runtime = place.home + "/x"
            try FileManager.default.createDirectory(
                atPath: runtime, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            var environment: [String: String?] = [
                "DISPLAY": ":\(display)", "WAYLAND_DISPLAY": nil, "XDG_RUNTIME_DIR": runtime, "TMPDIR": runtime,
                "GDK_BACKEND": "x11", "GSK_RENDERER": "cairo", "GSETTINGS_BACKEND": "memory",
                "PURVEY_HOME": place.daemon.home, "PURVEY_BUS": "none",
                // A slow machine may take longer than a toast is shown for until its button is pressed.
                "PURVEY_UNDO_TIME": "600", "LC_ALL": "C.UTF-8", "XDG_CONFIG_HOME": runtime, "XDG_CACHE_HOME": runtime,
                "XDG_DATA_HOME": runtime + "/data",
            ]
            for (name, value) in more { environment[name] = value }
            try makePrograms(in: runtime)
            let bus = try RunningProgram(
                "/usr/bin/dbus-daemon", ["--session", "--nofork", "--nopidfile", "--print-address"],
                environment: environment)
            let address = try #require(try await bus.lines(1).first, "dbus-daemon does not start")
            environment["DBUS_SESSION_BUS_ADDRESS"] = address
            let launched = launch(place)
            let program = try RunningProgram(
                try BuiltProgram.path(launched.program), launched.arguments, environment: environment)
            let result: Result<Void, any Error>
            do {
                let tree = try await onThread { try AccessibilityBus(session: address) }
                let fixture = WindowFixture(
                    place: place, tree: tree, program: program, display: server, environment: environment)
                _ = try await fixture.find("list", Self.items)
                try await body(fixture)
                result = .success(())
            } catch {
                if !program.isRunning { Issue.record("the program has ended: \(try await program.end())") }
                result = .failure(error)
            }
            for ending in [program, bus, server] {
                ending.send(SIGTERM)
                _ = try? await ending.end()
            }
            try result.get()
        }
    }

    /// The path at which the program for text files stores the text that it reads.
    var readText: String { place.home + "/x/read" }

    /// Creates desktop entries of two programs: one for text files, which stores the text that it reads, and one for
    /// Markdown files, which changes them.
    private static func makePrograms(in runtime: String) throws {
        func write(_ text: String, to path: String) throws {
            try Data(text.utf8).write(to: URL(fileURLWithPath: runtime + "/" + path))
        }
        try FileManager.default.createDirectory(
            atPath: runtime + "/data/applications", withIntermediateDirectories: true)
        try write("printf changed > \"$1\"\n", to: "edit")
        for (name, command) in [("Reader", "cp %f \(runtime)/read"), ("Editor", "/bin/sh \(runtime)/edit %f")] {
            try write(
                "[Desktop Entry]\nType=Application\nName=Test \(name)\nExec=\(command)\n",
                to: "data/applications/\(name).desktop")
        }
        try write(
            """
            [Default Applications]
            text/plain=Reader.desktop
            text/markdown=Editor.desktop

            [Added Associations]
            text/plain=Reader.desktop;Editor.desktop
            text/markdown=Editor.desktop

            """, to: "mimeapps.list")
    }

    /// Makes the service demand a password, and changes "Plan.txt", whose upload then waits for the sign-in.
    func changeWithoutSession() async throws {
        // Without a session, the mount opens only files of folders that were listed before.
        _ = try await find("list item", "Plan.txt")
        try await place.tell {
            try $0.change { $0.password = "right" }
            try $0.endSessions()
        }
        try await onThread { [file = place.mount + "/Plan.txt"] in
            try Data("changed".utf8).write(to: URL(fileURLWithPath: file))
        }
    }

    /// Waits until an element exists, and returns it.
    func find(_ role: String, _ name: String) async throws -> AccessibleNode {
        let tree = tree
        var found: AccessibleNode?
        do {
            try await eventually("a \(role) “\(name)”") {
                found = try await onThread { tree.find(role, name) }
                if found == nil { try #require(program.isRunning, "the program has ended") }
                return found != nil
            }
        } catch {
            let all = try await onThread { tree.nodes().map { "\($0.role) “\($0.title)”" } }
            Issue.record("the window has \(all.joined(separator: ", "))")
            throw error
        }
        return try #require(found)
    }

    /// Waits until no element has the given role and name.
    func awaitNo(_ role: String, _ name: String) async throws {
        let tree = tree
        try await eventually("no \(role) “\(name)”") { try await onThread { tree.find(role, name) == nil } }
    }

    /// Waits until an element has disappeared. Another element with the same role and name may exist then.
    func awaitNo(_ node: AccessibleNode) async throws {
        let tree = tree
        try await eventually("the end of \(node)") {
            try await onThread { !tree.nodes().contains { $0.isSame(as: node) } }
        }
    }

    /// Performs the first action of an element.
    func press(_ role: String, _ name: String) async throws {
        let node = try await find(role, name)
        try await onThread { try node.press() }
    }

    /// Waits until a button with a label exists, and clicks it. Buttons of dialogs have no names of their own. The
    /// button that closes the window has the name "Close", but no label.
    func pressButton(labelled text: String) async throws {
        let tree = tree
        try await eventually("a button with the label “\(text)”") {
            try await onThread {
                let button = tree.nodes().first { node in
                    node.role == "button" && node.descendants().contains { $0.role == "label" && $0.title == text }
                }
                try button?.press()
                return button != nil
            }
        }
    }

    /// Presses keys, in the form of `xdotool`.
    func keys(_ keys: String...) async throws {
        let run = try await RunningProgram("/usr/bin/xdotool", ["key"] + keys, environment: environment).end()
        #expect(run.status == 0, "\(run)")
    }

    /// Runs a program on the display until it ends.
    func run(_ program: String, _ arguments: String...) async throws -> ProgramRun {
        try await RunningProgram(try BuiltProgram.path(program), arguments, environment: environment).end()
    }

    /// Gives a window the keyboard focus as soon as it is shown, because no window manager runs. After a dialog, no
    /// window has the focus.
    func focusWindow(named name: String = "Files") async throws {
        try await eventually("“\(name)” takes the focus") {
            try await xdotool("search", "--onlyvisible", "--name", name, "windowfocus").status == 0
        }
    }

    /// Changes the size of the window.
    func resizeWindow(named name: String = "Files", to width: Int, _ height: Int = 660) async throws {
        let run = try await xdotool(
            "search", "--onlyvisible", "--name", name, "windowsize", String(width), String(height))
        #expect(run.status == 0, "\(run)")
    }

    private func xdotool(_ words: String...) async throws -> ProgramRun {
        try await RunningProgram("/usr/bin/xdotool", words, environment: environment).end()
    }

    /// Returns the process ID of the picker that ``program`` has started.
    func pickerProcess() async throws -> pid_t {
        let parent = program.processID
        var found: pid_t?
        try await eventually("a picker of process \(parent)") {
            found = try await onThread {
                // Each thread has a list of the children that it has started.
                let tasks = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(parent)/task")
                return tasks.lazy.compactMap { task in
                    try? String(contentsOfFile: "/proc/\(parent)/task/\(task)/children", encoding: .utf8)
                }.flatMap { $0.split(separator: " ") }.compactMap { pid_t($0) }.first
            }
            return found != nil
        }
        return try #require(found)
    }
}
