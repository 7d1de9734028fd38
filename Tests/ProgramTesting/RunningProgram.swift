import Foundation
import Glibc
import LinuxSystem

/// A program that a test has started, in a process of its own. It is killed when the test lets go of it.
///
/// What it prints is read, and its end is taken note of, as soon as they come, whether or not anybody waits: no pipe fills up,
/// and no process stays dead without having been waited for, which would keep Swift Testing busy for as long as it watches a
/// process for a test of how that one ends.
package final class RunningProgram: Sendable {
    /// What a program reads on standard input.
    package enum Input: Sendable {
        /// `/dev/null`.
        case nothing
        /// A file of these bytes.
        case bytes(Data)
        /// A pipe, for ``RunningProgram/write(_:)``.
        case pipe
    }

    private let process: ProcessDescriptor
    private let record = ProgramRecord()
    private let words: [String]
    /// Our end of the pipe, until it is closed.
    private let input: Lock<FileDescriptor?>

    /// How long a test waits for anything that a program does; then it is killed, and what waits fails. Longer than anything
    /// takes on a busy machine.
    private static let patience = Duration.seconds(600)

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - path: the file to run; `PATH` is not searched.
    ///   - environment: what is other than in this process's own; `nil` for what it does not have.
    ///   - folder: where it starts; where this process is otherwise.
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

    /// Sends it a signal, unless it has ended.
    package func send(_ signal: CInt) { try? process.send(signal: signal) }

    // MARK: Its input

    /// Gives it something to read. Blocks while the pipe is full.
    package func write(_ text: String) throws {
        guard let input = input.withLock({ $0 }) else { throw Errno.brokenPipe }
        try Array(text.utf8).withUnsafeBytes { try input.writeAll($0) }
    }

    package func closeInput() { input.withLock { $0 = nil } }

    // MARK: What becomes of it

    /// Waits until it has printed so many lines, or will print nothing more, and gives all that it has printed.
    package func lines(_ count: Int) async throws -> [String] {
        await hear { $0.output.count { $0 == UInt8(ascii: "\n") } >= count }
        return try heard().text.split(separator: "\n").map(String.init)
    }

    /// Waits until it has printed a line. Blocks.
    ///
    /// - Returns: the first; what there is of it, where it ends before.
    package func waitForLine() throws -> String {
        wait { $0.output.contains(UInt8(ascii: "\n")) }
        return try heard().text.split(separator: "\n").first.map(String.init) ?? ""
    }

    /// Waits until it has printed a text.
    ///
    /// - Returns: whether it has; otherwise it will print nothing more.
    package func hasPrinted(_ text: String) async throws -> Bool {
        await hear { String(decoding: $0.output, as: UTF8.self).contains(text) }
        return try heard().text.contains(text)
    }

    /// Waits for its end, and that of its output.
    package func end() async throws -> ProgramRun {
        await hear { _ in false }
        return try heard()
    }

    /// Waits for its end, and that of its output. Blocks.
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

    /// What is known of it by now.
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
            // Whoever writes to a program that has ended is told so, and not ended itself.
            signal(SIGPIPE, SIG_IGN)
            let (reading, writing) = try FileDescriptor.pipe()
            return (reading, writing)
        }
    }
}
