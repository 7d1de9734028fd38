import FileProvider

/// A subcommand of `purvey`: an extension in a file of its own (`Types.swift`: `extension Command { static let types }`)
/// and a line in `main.swift`.
struct Command: Sendable {
    /// The word that chooses it.
    let name: String
    /// One line for the list of commands.
    let summary: String
    /// What follows the command's name, one string for each form: `[--json] FILE…`.
    let usage: [String]
    /// The options it takes; `--help` and `-h` come by themselves.
    let options: [Option]
    /// More for the reader of `--help`, after the options.
    var discussion = ""
    /// Does the work. Runs on the main thread and may block it.
    ///
    /// - Throws: ``UsageError`` for arguments that make no sense, ``CommandError`` for what failed.
    let run: @MainActor @Sendable (Arguments) async throws -> Void
}

/// An option of a command: `--name`, or `-o` for the name `o`.
struct Option: Sendable {
    let name: String
    /// What stands for the option's value in the help (`BOARD`); `nil` for one that takes no value.
    let value: String?
    let summary: String

    /// An option that is there or not.
    static func flag(_ name: String, _ summary: String) -> Option {
        Option(name: name, value: nil, summary: summary)
    }

    /// An option that takes a value.
    static func value(_ name: String, _ value: String, _ summary: String) -> Option {
        Option(name: name, value: value, summary: summary)
    }

    /// How it is written: `--json`, `-o`.
    var spelling: String { name.count == 1 ? "-\(name)" : "--\(name)" }
}

/// A failure of a command: one line that names what failed and what to do. The exit status is 1.
struct CommandError: Error {
    let message: String
    /// Of what the daemon said about domains.
    var fault: DomainFault.Code?
    /// What a person answered was not taken.
    var isRefusal = false
    init(_ message: String) { self.message = message }
}

/// Arguments that the command cannot make sense of. The exit status is 2.
struct UsageError: Error {
    let message: String
    init(_ message: String) { self.message = message }
}
