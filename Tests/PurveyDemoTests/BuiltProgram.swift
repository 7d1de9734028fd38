import Foundation

/// A program that was built with the tests, running.
final class BuiltProgram: Sendable {
    /// How a program ended, with everything it printed on standard output.
    struct Ending: Sendable {
        let status: Int32
        let output: String
    }

    /// A program that is not where it has to be.
    struct Missing: Error {
        let name: String
    }

    let process: Process
    private let input = Pipe()
    private let output = Pipe()

    /// The repository.
    static let repository = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// Starts a program in the repository's folder.
    init(_ name: String, _ arguments: [String], home: URL) throws {
        process = Process()
        process.executableURL = try Self.path(of: name)
        process.arguments = arguments
        process.currentDirectoryURL = Self.repository
        process.environment = ProcessInfo.processInfo.environment.merging(["PURVEY_HOME": home.path]) { $1 }
        process.standardInput = input
        process.standardOutput = output
        try process.run()
    }

    /// Programs lie beside the test bundle, which is this process's program or an argument of it.
    static func path(of name: String) throws -> URL {
        let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        for path in [own] + CommandLine.arguments {
            let candidate = URL(fileURLWithPath: path).deletingLastPathComponent().appendingPathComponent(name)
            if FileManager.default.isExecutableFile(atPath: candidate.path) { return candidate }
        }
        throw Missing(name: name)
    }

    /// Closes the program's standard input and waits for its end.
    func finish() async throws -> Ending {
        try input.fileHandleForWriting.close()
        return await onThread { [process, output] in
            let printed = output.fileHandleForReading.readDataToEndOfFile()
            process.waitUntilExit()
            return Ending(status: process.terminationStatus, output: String(decoding: printed, as: UTF8.self))
        }
    }

    /// Tells the program to end, and waits until it has: it may still write to its folder.
    func end() async {
        process.terminate()
        await onThread { [process] in process.waitUntilExit() }
    }

    /// Runs blocking work on a thread of its own.
    private func onThread<Result: Sendable>(_ work: @escaping @Sendable () -> Result) async -> Result {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread { continuation.resume(returning: work()) }
        }
    }
}
