import FileTesting
import Foundation
import ProgramTesting
import Testing

/// Parts of a desktop on a test's own bus: the programs in `Services`.
enum DesktopPart {
    /// Whether the tests with these parts run.
    static var canStart: Bool {
        Requirement.isEnforced
            || FileManager.default.fileExists(atPath: "/usr/lib/python3/dist-packages/gi/__init__.py")
    }

    /// Starts a part, and waits until it is on the bus.
    static func start(_ program: String, _ arguments: [String], on bus: PrivateBus) async throws -> RunningProgram {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().path
        let part = try RunningProgram(
            "/usr/bin/python3", ["\(folder)/Services/\(program).py"] + arguments,
            environment: ["DBUS_SESSION_BUS_ADDRESS": bus.address], input: .pipe)
        let isReady = try await part.hasPrinted("ready")
        if !isReady { Issue.record("\(try await part.end())") }
        try #require(isReady)
        return part
    }
}
