import FileTesting
import Foundation
import Glibc
import LinuxSystem
import ProgramTesting
import Testing

/// An X display of the test's own, with a simulated user who has a mouse and a keyboard.
final class PersonAtDisplay: Sendable {
    private let server: RunningProgram
    /// The environment variables that select the display.
    let environment: [String: String]

    /// Runs a test with a display that requires the cookie named in the environment.
    static func run(_ place: CommandFixture, _ body: (PersonAtDisplay) async throws -> Void) async throws {
        let person = try await PersonAtDisplay(place)
        do {
            try await body(person)
        } catch {
            await person.end()
            throw error
        }
        await person.end()
    }

    private init(_ place: CommandFixture) async throws {
        let authority = place.path("display-authority")
        try Data(Self.cookie).write(to: URL(fileURLWithPath: authority))
        // Xvfb chooses a free display number, and prints it.
        server = try RunningProgram(
            "/usr/bin/Xvfb",
            ["-displayfd", "1", "-screen", "0", "800x600x24", "-nolisten", "tcp", "-auth", authority, "-noreset"])
        let number = try #require(try await server.lines(1).first, "Xvfb does not start")
        environment = ["DISPLAY": ":\(number)", "XAUTHORITY": authority]
    }

    private func end() async {
        server.send(SIGTERM)
        _ = try? await server.end()
    }

    /// An Xauthority entry for any display of any machine (Xau(3)).
    private static let cookie: [UInt8] =
        [0xFF, 0xFF, 0, 0, 0, 0, 0, 18] + Array("MIT-MAGIC-COOKIE-1".utf8) + [0, 16] + (1...16).map { UInt8($0) }

    /// Runs `xdotool`. Returns its output, or `nil` if it fails, as for a window that does not exist.
    @discardableResult
    func does(_ words: String...) async throws -> String? {
        let run = try await RunningProgram(
            "/usr/bin/xdotool", words, environment: environment.mapValues { $0 }
        ).end()
        return run.status == 0 ? run.text.trimmingCharacters(in: .whitespacesAndNewlines) : nil
    }

    /// Returns the window with a title, once it is shown.
    func window(_ title: String) async throws -> String {
        for _ in 0..<1_500 {
            if let found = try await windowThatIsShown(title) { return found }
            try await Task.sleep(for: .milliseconds(200))
        }
        struct NoWindow: Error { let title: String }
        throw NoWindow(title: title)
    }

    func windowThatIsShown(_ title: String) async throws -> String? {
        try await does("search", "--onlyvisible", "--name", "^\(title)$")?.split(separator: "\n").first.map(String.init)
    }

    /// Clicks at a place in a window, given by its distance from the lower right corner.
    func clicks(_ window: String, left: Int, up: Int) async throws {
        // The output has three lines: "Window 7", "Position: 0,0 (screen: 0)" and "Geometry: 255x156".
        guard let words = try await does("getwindowgeometry", window),
            let size = words.split(separator: "\n").last?.split(separator: " ").last?.split(separator: "x"),
            size.count == 2, let width = Int(size[0]), let height = Int(size[1])
        else { return }
        try await does("mousemove", "--window", window, "\(width - left)", "\(height - up)", "click", "1")
    }
}
