import Foundation
import Glibc
import LinuxSystem

/// A running child process of the demonstration.
final class Child: Sendable {
    private let program: ChildProgram
    private let process: ProcessDescriptor
    /// The way in which the process ended; `nil` before a wait. A waiting thread holds the lock meanwhile.
    private let ending = Lock<ChildProgram.Ending?>(nil)
    /// The write end of the process's standard input; `nil` if it was closed or is `/dev/null`.
    private let input: Lock<FileDescriptor?>
    /// The read end of the process's standard output.
    private let output: FileDescriptor

    /// Starts a program.
    ///
    /// - Parameter hasInput: whether the program's standard input is a pipe that stays open until ``closeInput()``.
    ///   Otherwise it is `/dev/null`.
    init(_ path: URL, _ arguments: [String], environment: [String: String]? = nil, hasInput: Bool = false) throws {
        let theirInput: FileDescriptor?
        let ourInput: FileDescriptor?
        if hasInput { (theirInput, ourInput) = try FileDescriptor.pipe() } else { (theirInput, ourInput) = (nil, nil) }
        let (output, theirOutput) = try FileDescriptor.pipe()
        program = try ChildProgram.start(
            path.path, arguments: arguments, environment: environment?.map { "\($0.key)=\($0.value)" },
            descriptors: [theirInput, theirOutput, .copy(of: STDERR_FILENO)])
        process = try .open(program.processID)
        input = Lock(ourInput)
        self.output = output
    }

    var identifier: pid_t { process.processID }

    var isRunning: Bool { !process.hasEnded }

    /// Returns the next bytes of the process's output, or none at the end. Blocks.
    func read() throws -> Data {
        var piece = [UInt8](repeating: 0, count: 64 << 10)
        let count = try piece.withUnsafeMutableBytes { try output.read(into: $0) }
        return Data(piece[..<count])
    }

    func closeInput() { input.withLock { $0 = nil } }

    /// Sends SIGTERM to the process.
    func terminate() { try? process.send(signal: SIGTERM) }

    /// Waits until the process has ended. Blocks.
    @discardableResult
    func wait() -> ChildProgram.Ending {
        ending.withLock { ending in
            let known = ending ?? (try? program.wait()) ?? .unknown
            ending = known
            return known
        }
    }

    /// Runs a program until it ends, and returns its output. Blocks.
    static func run(
        _ path: URL, _ arguments: [String], environment: [String: String]? = nil
    ) throws -> (ending: ChildProgram.Ending, text: String) {
        let child = try Child(path, arguments, environment: environment)
        var printed = Data()
        while case let more = try child.read(), !more.isEmpty { printed += more }
        return (child.wait(), String(decoding: printed, as: UTF8.self))
    }
}
