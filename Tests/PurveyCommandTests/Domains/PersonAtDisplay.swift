import FileTesting
import Foundation
import Glibc
import LinuxSystem
import ProgramTesting
import Testing

/// A display that nobody else sees, with a person at it who has a mouse and a keyboard.
final class PersonAtDisplay: Sendable {
    private let server: RunningProgram
    /// What the environment names it by.
    let environment: [String: String]

    /// Runs a test with a display, which lets nobody in without the cookie that is in the environment.
    static func run(_ place: CommandPlace, _ body: (PersonAtDisplay) async throws -> Void) async throws {
        let person = try await PersonAtDisplay(place)
        do {
            try await body(person)
        } catch {
            await person.end()
            throw error
        }
        await person.end()
    }

    private init(_ place: CommandPlace) async throws {
        let authority = place.path("display-authority")
        try Data(Self.cookie).write(to: URL(fileURLWithPath: authority))
        // A number that is free, which it tells on its output.
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

    /// An entry for any display of any machine (Xau(3)).
    private static let cookie: [UInt8] =
        [0xFF, 0xFF, 0, 0, 0, 0, 0, 18] + Array("MIT-MAGIC-COOKIE-1".utf8) + [0, 16] + (1...16).map { UInt8($0) }

    /// Runs `xdotool`; `nil` where it fails, as for a window that is not there, or not any more.
    @discardableResult
    func does(_ words: String...) async throws -> String? {
        let run = try await RunningProgram(
            "/usr/bin/xdotool", words, environment: environment.mapValues { $0 }
        ).end()
        return run.status == 0 ? run.text.trimmingCharacters(in: .whitespacesAndNewlines) : nil
    }

    /// The window with a title, once it is shown.
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

    /// Clicks on a place in a window, which is so far from its lower right corner.
    func clicks(_ window: String, left: Int, up: Int) async throws {
        // "Window 7", "Position: 0,0 (screen: 0)" and "Geometry: 255x156", a line each.
        guard let words = try await does("getwindowgeometry", window),
            let size = words.split(separator: "\n").last?.split(separator: " ").last?.split(separator: "x"),
            size.count == 2, let width = Int(size[0]), let height = Int(size[1])
        else { return }
        try await does("mousemove", "--window", window, "\(width - left)", "\(height - up)", "click", "1")
    }
}
