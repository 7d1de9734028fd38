import Foundation
import LinuxSystem
import ProgramTesting
import Testing

/// A terminal with an interactive shell. A pasted text is sent at once and whole, as a terminal window sends it: a
/// command that reads input consumes the lines after it, and a failing command does not stop those after it.
final class Terminal: Sendable {
    private let shell: ChildProgram
    private let process: ProcessDescriptor
    private let terminal: PseudoTerminal
    private let files: String
    private let record = Lock(Record())

    private struct Record {
        /// The text that was shown since the last read.
        var shown = ""
        /// The number of times that a call has waited for the end of the commands.
        var ends = 0
        var isAtEnd = false
    }

    /// Starts the shell in a session of its own, which has this controlling terminal.
    ///
    /// - Parameter files: The prefix of the paths of its files.
    init(environment: [String: String], in folder: String, files: String) throws {
        terminal = try PseudoTerminal()
        self.files = files
        // The shell shows neither prompts nor input, and records each command that fails.
        let settings = """
            PS1= PS2=
            unset HISTFILE
            stty -echo -onlcr
            set -E -o pipefail
            trap 'printf "%s (exit status %s)\\n" "$BASH_COMMAND" "$?" >>"\(files).failures"' ERR
            echo '[begin]'

            """
        try Data(settings.utf8).write(to: URL(fileURLWithPath: files + ".bashrc"))
        // The first terminal that a session without one opens becomes its controlling terminal.
        shell = try ChildProgram.start(
            "/bin/sh",
            arguments: [
                "-c", "exec /bin/bash --noprofile --noediting --rcfile \"$1\" -i <\"$0\" >\"$0\" 2>&1", terminal.path,
                files + ".bashrc",
            ],
            environment: environment.map { "\($0.key)=\($0.value)" }, descriptors: [], workingFolder: folder,
            newSession: true)
        process = try ProcessDescriptor.open(shell.processID)
        try SystemThread.start("terminal") { self.readAll() }
    }

    /// Reads the output until no process has the terminal open. Blocks.
    private func readAll() {
        var bytes = [UInt8](repeating: 0, count: 4096)
        var pending: [UInt8] = []
        // At the end, reading fails with EIO.
        while let count = try? bytes.withUnsafeMutableBytes({ try terminal.display.read(into: $0) }), count > 0 {
            pending += bytes[..<count]
            // An incomplete character is shown with its remaining bytes.
            guard let text = String(validating: pending, as: UTF8.self) else { continue }
            pending = []
            record.withLock { $0.shown += text }
        }
        record.withLock { $0.isAtEnd = true }
    }

    /// Waits until the shell accepts commands.
    func begin() async throws { _ = try await shows("[begin]\n") }

    /// Types a text, or pastes it.
    func type(_ text: String) throws {
        try terminal.type(text)
    }

    func paste(_ block: MarkdownBlock) throws { try type(block.text) }

    /// Presses Ctrl-C.
    func interrupt() throws { try type("\u{3}") }

    /// Waits until a text is shown.
    ///
    /// - Returns: The output up to the end of the text since the last return.
    @discardableResult
    func shows(_ text: String) async throws -> String {
        try await shows { $0.range(of: text) }
    }

    /// Waits until a matching text is shown.
    ///
    /// - Returns: The output up to the end of the text since the last return.
    @discardableResult
    func shows(matching pattern: Regex<Substring>) async throws -> String {
        try await shows { $0.firstMatch(of: pattern)?.range }
    }

    private func shows(_ find: (String) -> Range<String.Index>?) async throws -> String {
        let isShown = try await eventually {
            let (shown, isAtEnd) = record.withLock { ($0.shown, $0.isAtEnd) }
            if find(shown) == nil, isAtEnd { throw NotShownError(shown: shown) }
            return find(shown) != nil
        }
        let shown = record.withLock { $0.shown }
        guard isShown, let range = find(shown) else { throw NotShownError(shown: shown) }
        return take(String(shown[..<range.upperBound]))
    }

    private func take(_ text: String) -> String {
        record.withLock { $0.shown.removeFirst(text.count) }
        return text
    }

    /// The failure of waiting for a text.
    private struct NotShownError: Error {
        /// The text that was shown instead.
        let shown: String
    }

    /// Waits until the typed commands have ended, and checks that none of them failed.
    ///
    /// - Returns: The output since this or `shows` last returned.
    @discardableResult
    func finish() async throws -> String {
        let end = record.withLock { record in
            record.ends += 1
            return "[end \(record.ends)]\n"
        }
        try type("echo; echo '\(end.dropLast())'\n")
        let shown = try await shows("\n" + end).dropLast(end.count + 1)
        let failures = (try? String(contentsOfFile: files + ".failures", encoding: .utf8)) ?? ""
        #expect(failures.isEmpty, "shown: \(shown)")
        // A message of the shell itself means that it did not understand a line.
        #expect(!shown.contains("bash: "), "\(shown)")
        return String(shown)
    }

    /// Closes the terminal's window: the shell and its commands get SIGHUP.
    func close() async {
        try? process.send(signal: SIGHUP)
        let hasEnded = await eventually { process.hasEnded }
        if !hasEnded {
            Issue.record("a shell does not end")
            try? process.send(signal: SIGKILL)
        }
        _ = try? shell.wait()
    }
}
