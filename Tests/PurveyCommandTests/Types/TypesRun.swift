import Foundation
import ProgramTesting

/// One run of `purvey types`, in a process of its own.
struct TypesRun: Sendable {
    let status: Int32
    let output: String
    let errors: String

    /// The lines of the output.
    var lines: [String] { output.split(separator: "\n").map(String.init) }

    /// Returns the output as JSON, one value for each line; `nil` for `null`.
    func objects() throws -> [[String: Any]?] {
        try lines.map { line in
            let value = try JSONSerialization.jsonObject(with: Data(line.utf8), options: .fragmentsAllowed)
            if value is NSNull { return nil }
            return value as? [String: Any] ?? ["not an object": line]
        }
    }

    /// Runs the program that was built beside the tests.
    ///
    /// - Parameters:
    ///   - arguments: The arguments of `purvey`.
    ///   - input: The standard input.
    static func run(_ arguments: [String], input: String = "") async throws -> TypesRun {
        let run = try await start(arguments, input: .bytes(Data(input.utf8))).end()
        return TypesRun(status: run.status, output: run.text, errors: run.errors)
    }

    static func start(_ arguments: [String], input: RunningProgram.Input) throws -> RunningProgram {
        try RunningProgram(BuiltProgram.path("purvey"), arguments, input: input)
    }
}
