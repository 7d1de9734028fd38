import Foundation
import Glibc
import LinuxSystem

/// A program that a test has started in a separate process. It is killed when this object is released.
///
/// The program's output and end are recorded as soon as they occur, even if no test waits for them. Therefore no pipe
/// becomes full, and no zombie remains. A zombie would make Swift Testing poll without pause while it watches the
/// process of an exit test.
package final class RunningProgram: Sendable {
    /// The standard input of a program.
    package enum Input: Sendable {
        /// The device `/dev/null`.
        case nothing
        /// A file of these bytes.
        case bytes(Data)
        /// A pipe, for ``RunningProgram/write(_:)``.
        case pipe
    }

    private let process: ProcessDescriptor
    private let record = ProgramRecord()
    private let words: [String]
    /// The write end of the pipe; `nil` after it was closed.
    private let input: Lock<FileDescriptor?>

    /// The timeout of a wait, after which the program is killed and the wait fails. It exceeds any duration on a busy
    /// machine.
    private static let patience = Duration.seconds(600)

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - path: The file to run; `PATH` is not searched.
    ///   - environment: The variables that differ from this process's own; `nil` removes a variable.
    ///   - folder: The working directory; by default that of this process.
    package init(
        _ path: String, _ arguments: [String] = [], environment: [String: String?] = [:], in folder: String? = nil,
        input: Input = .nothing
    ) throws {
        words = [path] + arguments
        let (theirInput, ourInput) = try Self.ends(of: input)
        let (output, theirOutput) = try FileDescriptor.pipe()
        let (errors, theirErrors) = try FileDescriptor.pipe()
        var variables = ProcessInfo.processInfo.environment
        for (name, value) in environment { variables[name] = value }
        let program = try ChildProgram.start(
            path, arguments: arguments, environment: variables.map { "\($0.key)=\($0.value)" },
            descriptors: [theirInput, theirOutput, theirErrors], workingFolder: folder)
        process = try ProcessDescriptor.open(program.processID)
        self.input = Lock(ourInput)
        try SystemThread.start("test-program") { [record, process] in
            record.keep(of: program, process, output: output, errors: errors)
        }
    }

    deinit { send(SIGKILL) }

    package var processID: pid_t { process.processID }

    package var isRunning: Bool { !process.hasEnded }

    /// Sends the program a signal, unless it has ended.
    package func send(_ signal: CInt) { try? process.send(signal: signal) }

    // MARK: Input

    /// Writes to the program's standard input. Blocks while the pipe is full.
    package func write(_ text: String) throws {
        guard let input = input.withLock({ $0 }) else { throw Errno.brokenPipe }
        try Array(text.utf8).withUnsafeBytes { try input.writeAll($0) }
    }

    package func closeInput() { input.withLock { $0 = nil } }

    // MARK: Output and end

    /// Waits until the program has printed a number of lines, or will print no more. Returns all lines so far.
    package func lines(_ count: Int) async throws -> [String] {
        await hear { $0.output.count { $0 == UInt8(ascii: "\n") } >= count }
        return try heard().text.split(separator: "\n").map(String.init)
    }

    /// Waits until the program has printed a line. Blocks.
    ///
    /// - Returns: The first line, or a part of it if the program ends before.
    package func waitForLine() throws -> String {
        wait { $0.output.contains(UInt8(ascii: "\n")) }
        return try heard().text.split(separator: "\n").first.map(String.init) ?? ""
    }

    /// Waits until the program has printed a text.
    ///
    /// - Returns: Whether the program has printed the text. If not, it has closed its output.
    package func hasPrinted(_ text: String) async throws -> Bool {
        await hear { String(decoding: $0.output, as: UTF8.self).contains(text) }
        return try heard().text.contains(text)
    }

    /// Waits for the end of the program and of its output.
    package func end() async throws -> ProgramRun {
        await hear { _ in false }
        return try heard()
    }

    /// Waits for the end of the program and of its output. Blocks.
    package func waitForEnd() throws -> ProgramRun {
        wait { _ in false }
        return try heard()
    }

    private func wait(_ isEnough: @escaping @Sendable (ProgramRecord.Heard) -> Bool) {
        let isOver = Latch()
        record.wait(until: isEnough, for: Self.patience) { isOver.open() }
        isOver.wait()
    }

    private func hear(_ isEnough: @escaping @Sendable (ProgramRecord.Heard) -> Bool) async {
        await withCheckedContinuation { continuation in
            record.wait(until: isEnough, for: Self.patience) { continuation.resume() }
        }
    }

    private struct TookTooLong: Error {
        let words: [String]
        let run: ProgramRun
    }

    /// Returns the run as it is known now.
    private func heard() throws -> ProgramRun {
        let heard = record.heard
        let run = ProgramRun(
            ending: heard.ending ?? .unknown, output: Data(heard.output),
            errors: String(decoding: heard.errors, as: UTF8.self))
        if heard.tookTooLong { throw TookTooLong(words: words, run: run) }
        return run
    }

    // MARK: Descriptors

    private static func ends(of input: Input) throws -> (theirs: FileDescriptor?, ours: FileDescriptor?) {
        switch input {
        case .nothing: return (nil, nil)
        case .bytes(let bytes):
            let file = try MemoryFile.create(name: "input")
            try bytes.withUnsafeBytes { try file.writeAll($0, at: 0) }
            return (file, nil)
        case .pipe:
            // A write to a program that has ended must fail, and not end this process.
            signal(SIGPIPE, SIG_IGN)
            let (reading, writing) = try FileDescriptor.pipe()
            return (reading, writing)
        }
    }
}
