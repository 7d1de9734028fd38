import Foundation

/// Fresh processes for what can only be measured in one: this program again, or a program built beside it.
enum Child {
    /// A child that ended with a status other than 0.
    struct Failure: Error, CustomStringConvertible {
        let program: String
        let status: Int32
        var description: String { "\(program) ended with status \(status)" }
    }

    /// The path of a program that was built together with this one.
    static func sibling(_ name: String) throws -> String {
        let program = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        return URL(fileURLWithPath: program).deletingLastPathComponent().appendingPathComponent(name).path
    }

    /// Runs this program as a child with a role (see ``ChildRole``) and returns what it printed.
    static func output(of role: ChildRole, _ arguments: [String] = []) throws -> String {
        try output(
            ofProgram: FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"),
            ["--child", role.name] + arguments)
    }

    /// Runs a program and returns what it printed on standard output.
    ///
    /// - Parameters:
    ///   - input: the path of a file that becomes its standard input.
    ///   - environment: `nil` is this process's own.
    static func output(
        ofProgram path: String, _ arguments: [String], input: String? = nil, environment: [String: String]? = nil
    ) throws -> String {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = arguments
        if let environment { process.environment = environment }
        if let input {
            process.standardInput = try FileHandle(forReadingFrom: URL(fileURLWithPath: input))
        } else {
            process.standardInput = FileHandle.nullDevice
        }
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw Failure(program: path, status: process.terminationStatus)
        }
        return String(decoding: output, as: UTF8.self)
    }
}
