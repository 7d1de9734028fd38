import Foundation
import Glibc
import LinuxSystem

/// Another program of the demonstration, running.
final class Child: Sendable {
    private let program: ChildProgram
    private let process: ProcessDescriptor
    /// How it ended, once somebody has waited for it; who waits holds the lock meanwhile.
    private let ending = Lock<ChildProgram.Ending?>(nil)
    /// Our end of its standard input, until it is closed; without one it reads nothing.
    private let input: Lock<FileDescriptor?>
    /// What it prints.
    private let output: FileDescriptor

    /// - Parameter hasInput: whether its standard input is open until ``closeInput()``.
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

    /// The next bytes that it prints; empty at the end. Blocks.
    func read() throws -> Data {
        var piece = [UInt8](repeating: 0, count: 64 << 10)
        let count = try piece.withUnsafeMutableBytes { try output.read(into: $0) }
        return Data(piece[..<count])
    }

    func closeInput() { input.withLock { $0 = nil } }

    /// Asks it to end.
    func terminate() { try? process.send(signal: SIGTERM) }

    /// Waits for its end. Blocks.
    @discardableResult
    func wait() -> ChildProgram.Ending {
        ending.withLock { ending in
            let known = ending ?? (try? program.wait()) ?? .unknown
            ending = known
            return known
        }
    }

    /// Runs a program to its end and gives what it printed. Blocks.
    static func run(
        _ path: URL, _ arguments: [String], environment: [String: String]? = nil
    ) throws -> (ending: ChildProgram.Ending, text: String) {
        let child = try Child(path, arguments, environment: environment)
        var printed = Data()
        while case let more = try child.read(), !more.isEmpty { printed += more }
        return (child.wait(), String(decoding: printed, as: UTF8.self))
    }
}
