import DomainMessages
import Foundation
import LinuxSystem

extension Command {
    static let signIn = Command(
        name: "sign-in", summary: "sign in to the service of a domain",
        usage: ["[--password-file FILE] DOMAIN"],
        options: [.value("password-file", "FILE", "the file with the password in its first line; - is standard input")],
        discussion: """
            A provider that sets up its domains signs in as 'purvey domains add' does: on the terminal or in the
            browser. A provider with a user interface of its own shows it. For other providers, the terminal asks for
            the password, three times at most. Requests that waited for the sign-in then continue.
            """
    ) { arguments in
        guard arguments.operands.count == 1 else { throw UsageError("sign-in takes one domain") }
        let name = arguments.operands[0]
        let file = arguments.value("password-file")
        let given = try file.map(PasswordSource.firstLine)
        let setUp = try await SetUpSession.run(password: given, user: nil) { questions in
            try await DomainClient.call(SetUpSignInCall(name: name, questions: questions), once: true)
        }
        if setUp.isServed { return }
        if let given {
            _ = try await DomainClient.call(SignInDomainCall(name: name, password: given), once: true)
            return
        }
        if try await InterfaceSession.signIn(to: name) { return }
        try await PasswordSource.use(for: name, command: "sign-in") {
            _ = try await DomainClient.call(SignInDomainCall(name: name, password: $0), once: true)
        }
    }
}

/// The sources of a password. The command line is not a source, because all users can read it.
enum PasswordSource {
    /// The maximum size of a password in bytes.
    private static let limit = 4096

    /// The maximum number of prompts.
    private static let attempts = 3

    /// Calls a function with a password from the terminal. If the password is refused, prompts again.
    ///
    /// - Parameter name: the name of the domain.
    static func use<Value: Sendable>(
        for name: String, command: String, _ body: @Sendable (String) async throws -> Value
    ) async throws -> Value {
        var attempt = 1
        while true {
            let password = try await ask("Password for \(OneLine.text(name)): ")
            do {
                return try await body(password)
            } catch let error as CommandError where error.fault == .signInRefused && attempt < attempts {
                StandardError.complain("\(command): \(error.message)")
            }
            attempt += 1
        }
    }

    /// Returns the first line of the file that `--password-file` names. The path `-` denotes standard input.
    static func firstLine(of path: String) throws -> String {
        // The buffer has one byte more than the limit, for the line end.
        var bytes = [UInt8](repeating: 0, count: limit + 1)
        defer { bytes.clear() }
        var count = 0
        do throws(Errno) {
            let file = path == "-" ? FileDescriptor(owning: try retrying { dup(0) }) : try .open(path, .readOnly)
            while count < bytes.count {
                let read = try bytes.withUnsafeMutableBufferPointer { buffer throws(Errno) in
                    try file.read(
                        into: UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(buffer)[count...]))
                }
                if read == 0 { break }
                count += read
            }
        } catch {
            throw CommandError("\(path): \(error)")
        }
        let line = bytes[..<count].prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
        guard line.count <= limit else { throw CommandError("the password in \(path) is longer than \(limit) bytes") }
        guard let text = String(validating: line, as: UTF8.self) else {
            throw CommandError("the password in \(path) is not UTF-8")
        }
        return text
    }

    /// Prompts on the terminal without echo.
    private static func ask(_ question: String) async throws -> String {
        guard let terminal = Terminal() else {
            throw CommandError("there is no terminal to ask for the password on; give --password-file")
        }
        let interruption = await Interruption()
        defer { interruption.end() }
        interruption.setAction { terminal.interrupt() }
        guard let answer = try terminal.ask(question, isSecret: true) else { throw CommandError("interrupted") }
        return answer
    }
}
