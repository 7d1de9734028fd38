import DomainMessages
import LinuxSystem
import ProgramManuals

/// A subcommand of `purvey`. Each subcommand is declared in a separate file (`Types.swift`: `extension Command { static
/// let types }`), and is listed in ``all``.
struct Command: Sendable {
    /// The name of the command.
    let name: String
    /// The summary in the list of commands, in one line.
    let summary: String
    /// The arguments after the command's name, one string for each form: `[--json] FILE…`.
    let usage: [String]
    /// The options; `--help` and `-h` are added automatically.
    let options: [Option]
    /// The text at the end of `--help`, after the options.
    var discussion = ""
    /// Whether the command uses the directories in which Purvey stores this user's data.
    var usesLocations = true
    /// The function that runs the command. It is called on the main thread, and may block that thread.
    ///
    /// - Throws: ``UsageError`` for invalid arguments, ``CommandError`` for other failures.
    let run: @MainActor @Sendable (Arguments) async throws -> Void

    /// The first words of the command's forms, such as `add` and `remove`.
    var verbs: [String] {
        usage.compactMap { form in form.split(separator: " ").first { $0.allSatisfy(\.isLowercase) }.map(String.init) }
    }
}

extension Command {
    /// The commands, in the order of the help.
    static let all: [Command] = [
        .types,
        .offer, .list, .load,
        .copy, .paste,
        .share,
        .bundles, .extensions,
        .domains, .status,
        .listItems, .describeItem, .download, .evict, .keep,
        .recents, .search, .favorites, .tag,
        .trash, .untrash,
        .actions, .alerts,
        .signal, .push, .retry, .signIn, .keyring, .pause, .resume,
        .help,
    ]

    /// Returns the command with the given name, which is the first word of a command line.
    static func chosen(by name: String) throws(UsageError) -> Command {
        if name.hasPrefix("-") {
            throw UsageError(Help.manual.complaint(about: name))
        }
        guard let command = all.first(where: { $0.name == name }) else {
            throw UsageError(
                about: name, "there is no command '\(name)'", known: all.map(\.name) + Help.manual.options)
        }
        return command
    }
}

/// An option of a command: `--name`, or `-o` for the name `o`.
struct Option: Sendable {
    let name: String
    /// The placeholder for the option's value in the help (`BOARD`); `nil` for an option without a value.
    let value: String?
    let summary: String

    /// Returns an option that takes no value.
    static func flag(_ name: String, _ summary: String) -> Option {
        Option(name: name, value: nil, summary: summary)
    }

    /// Returns an option that takes a value.
    static func value(_ name: String, _ value: String, _ summary: String) -> Option {
        Option(name: name, value: value, summary: summary)
    }

    /// The option as typed: `--json`, `-o`.
    var spelling: String { name.count == 1 ? "-\(name)" : "--\(name)" }
}

/// A failure of a command: one line with the failure and a remedy. The exit status is 1.
struct CommandError: Error {
    let message: String
    /// The daemon's error code, if a call about domains failed.
    var fault: DomainFault.Code?
    /// Whether the service refused the user's input, such as a password.
    var isRefusal = false
    init(_ message: String) { self.message = message }
}

/// The error of invalid arguments. The exit status is 2.
struct UsageError: Error {
    let message: String
    init(_ message: String) { self.message = message }

    /// Creates the error about an unknown word. If a known word is similar, the error suggests that word. Otherwise the
    /// error lists all known words if `listing` is set.
    init(about word: String, _ complaint: String, known: [String], listing: Bool = false) {
        message = SpellingSuggestion.sentence(complaint, about: word, known: known, listing: listing)
    }
}
