import Glibc
import LinuxSystem

/// The description of a program's command line. Its output for `--help`, `-h`, `--version` and unknown arguments, the
/// manual page, and the completions of shells are made from this description.
package struct ProgramManual: Sendable {
    /// The program's name, as typed on a command line.
    package let name: String
    /// The program's version.
    let version: String
    /// The section of the manual: 1 for users' programs, 8 for administrators' programs.
    package let section: Int
    /// The one-line description in the index of manual pages, see whatis(1).
    package let summary: String
    /// The program's own command line.
    package let command: CommandManual
    /// The program's subcommands.
    package let commands: [CommandManual]

    /// Creates the description of a program.
    ///
    /// - Parameters:
    ///   - version: The program's version; `nil` for that of Purvey.
    ///   - summary: The one-line description in the index of manual pages: a phrase without a full stop.
    ///   - usage: The forms of the arguments, as in ``CommandManual/usage``.
    ///   - text: The purpose of the program, in sentences.
    ///   - discussion: The text after the options.
    package init(
        name: String, version: String? = nil, section: Int = 1, summary: String, usage: [String], text: String = "",
        options: [CommandManual.Option] = [], discussion: String = "", commands: [CommandManual] = []
    ) {
        self.name = name
        self.version = version ?? PurveyVersion.text
        self.section = section
        self.summary = summary
        self.commands = commands
        let common = [
            CommandManual.Option(name: "help", value: nil, summary: "show this (also -h)"),
            CommandManual.Option(name: "version", value: nil, summary: "print the version"),
        ]
        command = CommandManual(
            program: name, name: nil, summary: text.isEmpty ? summary : text, usage: usage, options: options + common,
            discussion: discussion)
    }

    /// The program's own options as typed, such as `--json`.
    package var options: [String] { command.options.map(\.spelling) }

    /// The output of `--help`, with a line end.
    package var help: String {
        guard !commands.isEmpty else { return command.help }
        let rows = CommandManual.table(commands.map { ($0.name ?? "", $0.summary) })
        return [command.synopsis, rows, command.discussion].joined(separator: "\n\n") + "\n"
    }

    /// Prints the help or the version if an argument requests it. Prints the manual page, a shell's completion script,
    /// or the completions of words, if the first argument requests that. The installation requests the page and the
    /// scripts, and the scripts request the completions.
    ///
    /// - Returns: the program's exit status if anything was requested; `nil` otherwise.
    package func answer(_ arguments: some Sequence<String>) -> CInt? {
        let words = Array(arguments)
        switch words.first {
        case "--manual-page"?:
            if words.count > 1 { return refuse(words[1]) }
            return print(ManualPage.text(of: self))
        case "--completions"?:
            guard words.count > 1 else { return misuse("option '--completions' needs a shell: bash, zsh or fish") }
            if words.count > 2 { return refuse(words[2]) }
            guard let shell = CompletionShell(rawValue: words[1]) else {
                return misuse("there are no completions for '\(words[1])': bash, zsh or fish")
            }
            return print(shell.script(for: name))
        case "--complete"?: return print(Completion(of: Array(words.dropFirst()), for: self).text())
        default: break
        }
        for word in words {
            switch word {
            case "--help", "-h": return print(help)
            case "--version": return print("\(name) \(version)\n")
            default: continue
            }
        }
        return nil
    }

    /// Prints a complaint about an unknown word.
    ///
    /// - Returns: the exit status of wrong usage.
    package func refuse(_ word: String) -> CInt { misuse(complaint(about: word)) }

    /// Prints a complaint about a command line.
    ///
    /// - Returns: the exit status of wrong usage.
    package func misuse(_ message: String) -> CInt { complain("\(message); see '\(name) --help'", status: 2) }

    /// Returns a complaint about an unknown word.
    package func complaint(about word: String) -> String {
        guard word.hasPrefix("-"), word.count > 1 else { return "unexpected argument '\(word)'" }
        let spelling = word.split(separator: "=", maxSplits: 1).first.map(String.init) ?? word
        if let option = command.options.first(where: { $0.spelling == spelling }) {
            guard spelling != word else { return "unexpected option '\(word)'" }
            guard let value = option.value else { return "option '\(spelling)' takes no value" }
            return "the value of '\(spelling)' is the next word: \(spelling) \(value)"
        }
        return SpellingSuggestion.sentence(
            "unknown option '\(spelling)'", about: spelling, known: options)
    }

    /// Writes one line on standard error: the program's name and a message.
    ///
    /// - Returns: `status`.
    @discardableResult
    package func complain(_ message: String, status: CInt = 1) -> CInt {
        // The message may contain text from the command line. Control characters are replaced, so that it starts no
        // new line and moves no cursor.
        let scalars = message.unicodeScalars.map { $0.properties.generalCategory == .control ? "\u{FFFD}" : $0 }
        // A single write prevents other output from dividing the line. If it fails, standard error has no reader.
        _ = Self.write("\(name): \(String(String.UnicodeScalarView(scalars)))\n", to: STDERR_FILENO)
        return status
    }

    /// Prints a text on standard output. Returns the exit status.
    private func print(_ text: String) -> CInt {
        guard let error = Self.write(text, to: STDOUT_FILENO) else { return 0 }
        return complain("standard output: \(error)")
    }

    private static func write(_ text: String, to descriptor: CInt) -> Errno? {
        Array(text.utf8).withUnsafeBytes { bytes -> Errno? in
            var rest = bytes[...]
            while !rest.isEmpty {
                do throws(Errno) {
                    let piece = UnsafeRawBufferPointer(rebasing: rest)
                    rest = rest.dropFirst(try retrying { Glibc.write(descriptor, piece.baseAddress, piece.count) })
                } catch {
                    return error
                }
            }
            return nil
        }
    }
}
