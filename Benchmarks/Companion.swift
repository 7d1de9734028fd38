import Foundation
import Glibc
import LinuxSystem

/// A program that runs beside the benchmark. It ends when this object is released.
final class Companion {
    let processID: pid_t
    private let process: ProcessDescriptor
    private let program: ChildProgram
    private var leftover: ExitCleanup?

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - environment: variables that are added to this process's environment.
    ///   - output: the standard output; `nil` for `/dev/null`.
    ///   - cleanUp: cleans up after the program, in case it was killed.
    init(
        _ path: String, _ arguments: [String], environment: [String: String] = [:], input: FileDescriptor? = nil,
        output: FileDescriptor? = nil, errors: FileDescriptor? = nil, cleanUp: @escaping @Sendable () -> Void = {}
    ) throws {
        ExitCleanup.waitIfEnding()
        let variables = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        let program = try ChildProgram.start(
            path, arguments: arguments, environment: variables.map { "\($0.key)=\($0.value)" },
            descriptors: [input, output, errors])
        let process = try ProcessDescriptor.open(program.processID)
        (self.program, self.process) = (program, process)
        processID = program.processID
        leftover = ExitCleanup {
            Self.end(process)
            cleanUp()
        }
    }

    deinit { end() }

    var isRunning: Bool { !process.hasEnded }

    /// The grace period after each signal in milliseconds.
    private static let patience: CInt = 20_000

    /// Ends the program with SIGTERM, and after the grace period with SIGKILL.
    func end() {
        leftover?.remove()
        leftover = nil
        _ = try? program.wait()
    }

    /// Waits until the program has ended. Throws an error if it has not ended after the given duration.
    func waitForEnd(seconds: Double) throws -> ChildProgram.Ending {
        guard process.hasEnded(within: CInt(seconds * 1000)) else {
            throw TimeIsOver(processID: processID, seconds: seconds)
        }
        return try program.wait()
    }

    private struct TimeIsOver: Error, CustomStringConvertible {
        let processID: pid_t
        let seconds: Double
        var description: String { "process \(processID) has not ended within \(seconds) s" }
    }

    private static func end(_ process: ProcessDescriptor) {
        for signal in [SIGTERM, SIGKILL] {
            guard (try? process.send(signal: signal)) != nil, !process.hasEnded(within: patience) else { return }
        }
    }
}
