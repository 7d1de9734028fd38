import Foundation
import LinuxSystem

/// New processes for measurements that need one: this program, or a program that was built with it.
enum BenchmarkChild {
    /// The error of a child that did not succeed.
    struct Failure: Error, CustomStringConvertible {
        let program: String
        let ending: ChildProgram.Ending
        var description: String { "\(program): \(ending)" }
    }

    /// Returns the path of a program that was built with this one.
    static func sibling(_ name: String) throws -> String {
        let program = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        return URL(fileURLWithPath: program).deletingLastPathComponent().appendingPathComponent(name).path
    }

    /// Runs this program as a child with a role (see ``ChildRole``) and returns its output.
    static func output(of role: ChildRole, _ arguments: [String] = []) throws -> String {
        try output(
            ofProgram: FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"),
            ["--child", role.name] + arguments)
    }

    /// The timeout of a child in seconds, longer than any measurement takes.
    private static let timeLimit = 900.0

    /// Runs a program and returns its standard output.
    ///
    /// - Parameters:
    ///   - input: the path of the file for its standard input.
    ///   - environment: variables that are added to this process's environment.
    static func output(
        ofProgram path: String, _ arguments: [String], input: String? = nil, environment: [String: String] = [:]
    ) throws -> String {
        let output = try MemoryFile.create(name: "output")
        let program = try Companion(
            path, arguments, environment: environment,
            input: try input.map { path in try FileDescriptor.open(path, [.readOnly]) },
            output: output, errors: .copy(of: STDERR_FILENO))
        let ending = try program.waitForEnd(seconds: timeLimit)
        guard ending == .exited(0) else { throw Failure(program: path, ending: ending) }
        let mapping = try Mapping(output, size: try output.status().size)
        return withExtendedLifetime(mapping) { String(decoding: mapping.bytes, as: UTF8.self) }
    }
}
