import Foundation
import ProgramTesting

/// The repository that the tests were built from.
enum Repository {
    static let folder = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// Returns the path of a file in the repository.
    static func path(_ name: String) -> String { folder.appendingPathComponent(name).path }

    /// The environment of `make`. Removes the variables of a `make` that runs the tests.
    static let environmentOfMake: [String: String?] = ["MAKEFLAGS": nil, "MAKELEVEL": nil, "MFLAGS": nil]

    /// Runs make in the repository.
    static func make(_ arguments: String...) async throws -> ProgramRun { try await make(arguments) }

    static func make(_ arguments: [String]) async throws -> ProgramRun {
        try await RunningProgram("/usr/bin/make", arguments, environment: environmentOfMake, in: folder.path).end()
    }
}
