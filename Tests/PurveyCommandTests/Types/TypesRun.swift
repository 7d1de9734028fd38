import Foundation

/// One run of `purvey types`, in a process of its own.
struct TypesRun: Sendable {
    let status: Int32
    let output: String
    let errors: String

    /// The lines of the output.
    var lines: [String] { output.split(separator: "\n").map(String.init) }

    /// The output as JSON, one value for each line; `nil` for `null`.
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
    ///   - arguments: what follows `purvey`.
    ///   - input: what it reads on standard input.
    static func run(_ arguments: [String], input: String = "") async throws -> TypesRun {
        try await withCheckedThrowingContinuation { continuation in
            // Waiting for a process blocks: not a thread that Swift's tasks need.
            DispatchQueue.global().async {
                continuation.resume(with: Result { try wait(arguments, input) })
            }
        }
    }

    /// The program, not started yet.
    static func process(_ arguments: [String]) throws -> Process {
        let process = Process()
        let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        process.executableURL = URL(fileURLWithPath: own).deletingLastPathComponent().appendingPathComponent("purvey")
        process.arguments = arguments
        return process
    }

    private static func wait(_ arguments: [String], _ input: String) throws -> TypesRun {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("purvey-run-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        // Files, because nobody has to empty them while the program runs.
        let file = { (name: String, content: String) in
            let url = folder.appendingPathComponent(name)
            try Data(content.utf8).write(to: url)
            return try FileHandle(forUpdating: url)
        }
        let process = try process(arguments)
        let (output, errors) = (try file("output", ""), try file("errors", ""))
        process.standardInput = try file("input", input)
        process.standardOutput = output
        process.standardError = errors
        try process.run()
        process.waitUntilExit()
        let text = { (handle: FileHandle) in
            try handle.seek(toOffset: 0)
            return String(decoding: try handle.readToEnd() ?? Data(), as: UTF8.self)
        }
        return TypesRun(status: process.terminationStatus, output: try text(output), errors: try text(errors))
    }
}
