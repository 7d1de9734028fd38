import FileProvider
import LinuxSystem

/// A subcommand of `purvey`: an extension in a file of its own (`Types.swift`: `extension Command { static let types }`)
/// and a line in ``all``.
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
    /// Whether what it says depends on where Purvey keeps things for this user.
    var usesLocations = true
    /// Does the work. Runs on the main thread and may block it.
    ///
    /// - Throws: ``UsageError`` for arguments that make no sense, ``CommandError`` for what failed.
    let run: @MainActor @Sendable (Arguments) async throws -> Void
}

extension Command {
    /// The commands, in the order in which the help has them.
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
        .actions,
        .signal, .push, .retry, .signIn,
        .help,
    ]

    /// Finds the command that the first word of a command line means.
    static func chosen(by name: String) throws(UsageError) -> Command {
        if name.hasPrefix("-") {
            throw UsageError(
                about: name, "unknown option '\(name)'", known: ProgramManual.commonOptions)
        }
        guard let command = all.first(where: { $0.name == name }) else {
            throw UsageError(about: name, "there is no command '\(name)'", known: all.map(\.name))
        }
        return command
    }
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

    /// A word that is none of those that may be there: with the one that was probably meant, else with all of them.
    ///
    /// - Parameter listing: whether all of them are named; not where they are many.
    init(about word: String, _ complaint: String, known: [String], listing: Bool = false) {
        message = NearMiss.sentence(complaint, about: word, known: known, listing: listing)
    }
}
