import Foundation
import Glibc
import LinuxSystem
import ProgramTesting
import Testing

/// A command that runs on a terminal of its own, with a simulated user.
final class PersonAtTerminal: Sendable {
    private let program: ChildProgram
    private let terminal: PseudoTerminal
    /// The text that the terminal has shown.
    private let shown = Lock("")

    /// Starts `purvey` with a new pseudo-terminal as its controlling terminal, input and output.
    ///
    /// - Parameter other: Environment variables that differ from this process's; `nil` removes a variable.
    convenience init(_ place: CommandFixture, environment other: [String: String?] = [:], _ arguments: String...) throws
    {
        try self.init(place, environment: other, arguments)
    }

    /// - Parameter path: The program instead of `purvey`.
    init(
        _ place: CommandFixture, environment other: [String: String?] = [:], path: String? = nil, _ arguments: [String]
    ) throws {
        terminal = try PseudoTerminal()
        let name = terminal.path
        var environment = ProcessInfo.processInfo.environment
        environment["PURVEY_HOME"] = place.home
        for (name, value) in other { environment[name] = value }
        // A session without a terminal gets the first one that it opens.
        program = try ChildProgram.start(
            "/bin/sh",
            arguments: ["-c", "exec \"$@\" <\(name) >\(name) 2>&1", "sh", try path ?? BuiltProgram.path("purvey")]
                + arguments,
            environment: environment.map { "\($0.key)=\($0.value)" }, descriptors: [], newSession: true)
    }

    /// Waits until the terminal shows a text after the text of the last call.
    func sees(_ text: String) async throws {
        let isSeen = await offPool { self.waits(for: text) }
        try #require(isSeen, "\(text) is not in: \(shown.withLock { $0 })")
    }

    private func waits(for text: String) -> Bool {
        for _ in 0..<1200 {
            let isThere = shown.withLock { shown -> Bool in
                guard let range = shown.range(of: text) else { return false }
                shown.removeSubrange(..<range.upperBound)
                return true
            }
            if isThere { return true }
            if !read() { return shown.withLock { $0.contains(text) } }
        }
        return false
    }

    /// Reads a part of the terminal's output.
    ///
    /// - Returns: `false` at the end.
    private func read() -> Bool {
        var source = pollfd(fd: terminal.display.rawValue, events: CShort(POLLIN), revents: 0)
        guard poll(&source, 1, 100) > 0 else { return true }
        var bytes = [UInt8](repeating: 0, count: 4096)
        // Reading fails with EIO once no process has the terminal open.
        guard let count = try? bytes.withUnsafeMutableBytes({ try terminal.display.read(into: $0) }), count > 0 else {
            return false
        }
        shown.withLock { $0 += String(decoding: bytes[..<count], as: UTF8.self) }
        return true
    }

    func types(_ text: String) async throws {
        try await onThread { try self.terminal.type(text) }
    }

    /// Waits for the command's end, and returns its exit status and the rest of the shown text.
    func end() async throws -> (ending: ChildProgram.Ending, text: String) {
        try await onThread {
            while self.read() {}
            return (try self.program.wait(), self.shown.withLock { $0 })
        }
    }
}
