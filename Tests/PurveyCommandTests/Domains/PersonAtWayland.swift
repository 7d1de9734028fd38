import FileTesting
import Foundation
import Glibc
import LinuxSystem
import ProgramTesting
import Testing

/// A Wayland display of the test's own, with a simulated user who has a keyboard.
final class PersonAtWayland: Sendable {
    private let compositor: RunningProgram
    /// A program that keeps the seat's keyboard present. Keys on a keyboard that comes and goes may be missed.
    private let keyboard: RunningProgram
    private let folder: String
    /// The environment variables that select the display.
    let environment: [String: String?]

    /// Runs a test with a display.
    static func run(_ place: CommandFixture, _ body: (PersonAtWayland) async throws -> Void) async throws {
        let person = try await PersonAtWayland(place)
        do {
            try await body(person)
        } catch {
            await person.end()
            throw error
        }
        await person.end()
    }

    private init(_ place: CommandFixture) async throws {
        folder = place.path("wayland")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        // The compositor runs this command when it is ready, which prints the display's name.
        let settings = "xwayland disable\noutput * resolution 800x600\nexec echo \"$WAYLAND_DISPLAY\"\n"
        try Data(settings.utf8).write(to: URL(fileURLWithPath: folder + "/config"))
        let variables: [String: String?] = [
            "XDG_RUNTIME_DIR": folder, "SWAYSOCK": folder + "/sway", "WLR_BACKENDS": "headless",
            "WLR_LIBINPUT_NO_DEVICES": "1", "WLR_RENDERER": "pixman", "WAYLAND_DISPLAY": nil, "DISPLAY": nil,
        ]
        // Sway refuses to start as root, and therefore runs as another user in a user namespace.
        let arguments = ["--map-user=1000", "--map-group=1000", "/usr/bin/sway", "--config", folder + "/config"]
        let compositor = try RunningProgram("/usr/bin/unshare", arguments, environment: variables)
        self.compositor = compositor
        let name = try #require(try await compositor.lines(1).first, "sway does not start")
        let environment: [String: String?] = ["WAYLAND_DISPLAY": folder + "/" + name, "DISPLAY": nil]
        self.environment = environment
        // The keyboard stays for longer than any test.
        keyboard = try RunningProgram("/usr/bin/wtype", ["-s", "\(3_600_000)"], environment: environment)
        try await eventually("the seat has a keyboard") {
            try await self.asks("-t", "get_seats").contains("\"type\": \"keyboard\"")
        }
    }

    private func end() async {
        keyboard.send(SIGKILL)
        compositor.send(SIGTERM)
        _ = try? await keyboard.end()
        _ = try? await compositor.end()
    }

    /// Kills the compositor, as a crash does.
    func losesTheDisplay() async throws {
        compositor.send(SIGKILL)
        _ = try await compositor.end()
    }

    /// Sends the compositor a request or a command, and returns its reply.
    @discardableResult
    private func asks(_ words: String...) async throws -> String {
        try await RunningProgram("/usr/bin/swaymsg", ["--raw", "--socket", folder + "/sway"] + words).end().text
    }

    // MARK: Windows

    /// Waits until the window with a title is shown and has the keyboard focus.
    func sees(_ title: String) async throws {
        try await eventually("the window “\(title)” is shown") { try await self.window(title) == .inFront }
    }

    func doesNotSee(_ title: String) async throws {
        try await eventually("the window “\(title)” has gone") { try await self.window(title) == nil }
    }

    /// Asks a window's program to close it, as its title bar does.
    func closes(_ title: String) async throws { try await asks("[title=\"^\(title)$\"] kill") }

    private enum Window {
        case shown, inFront
    }

    private struct Node: Decodable {
        let name: String?
        let focused: Bool
        let visible: Bool?
        let nodes: [Node]
        let floating_nodes: [Node]
    }

    private func window(_ title: String) async throws -> Window? {
        func find(_ node: Node) -> Window? {
            if node.name == title, node.visible == true { return node.focused ? .inFront : .shown }
            return (node.nodes + node.floating_nodes).lazy.compactMap(find).first
        }
        let answer = try await asks("-t", "get_tree")
        return (try? JSONDecoder().decode(Node.self, from: Data(answer.utf8))).flatMap(find)
    }

    // MARK: The keyboard

    /// Types a text into the focused window.
    func types(_ text: String) async throws { try await presses(["--", text]) }

    /// Presses a key, by its name.
    func presses(key: String) async throws { try await presses(["-k", key]) }

    private func presses(_ words: [String]) async throws {
        let run = try await RunningProgram("/usr/bin/wtype", words, environment: environment).end()
        #expect(run.status == 0, "\(run)")
    }

    private func eventually(_ what: String, _ isSo: () async throws -> Bool) async throws {
        for _ in 0..<1_500 {
            if try await isSo() { return }
            try await Task.sleep(for: .milliseconds(200))
        }
        struct NotSo: Error { let what: String }
        throw NotSo(what: what)
    }
}
