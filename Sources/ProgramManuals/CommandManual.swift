/// The description of the command line of a program or of a subcommand.
package struct CommandManual: Sendable {
    /// The program's name.
    package let program: String
    /// The name of a subcommand; `nil` for the program itself.
    package let name: String?
    /// The purpose, in one line for a subcommand and in sentences for a program.
    package let summary: String
    /// The arguments after the name, one string for each form: `[--json] FILE…`. Words in upper case are placeholders
    /// for values.
    package let usage: [String]
    package let options: [Option]
    /// The text after the options. Indented lines are examples.
    package let discussion: String

    /// An option, typed as `--name`, or as `-n` if its name has one letter.
    package struct Option: Sendable {
        package let name: String
        /// The placeholder for the value (`BOARD`, or `all|team` for a choice of words); `nil` if the option has no
        /// value.
        package let value: String?
        package let summary: String

        package init(name: String, value: String?, summary: String) {
            self.name = name
            self.value = value
            self.summary = summary
        }

        /// The option as typed: `--json`, `-o`.
        package var spelling: String { name.count == 1 ? "-\(name)" : "--\(name)" }
    }

    package init(
        program: String, name: String?, summary: String, usage: [String], options: [Option], discussion: String
    ) {
        self.program = program
        self.name = name
        self.summary = summary
        self.usage = usage
        self.options = options
        self.discussion = discussion
    }

    /// The program's name, and the subcommand's name if there is one.
    var invocation: String { ([program] + [name].compactMap(\.self)).joined(separator: " ") }

    /// The lines of the help that show the forms of the command line.
    var synopsis: String {
        usage.enumerated().map { index, form in
            (index == 0 ? "usage: " : "       ") + invocation + (form.isEmpty ? "" : " " + form)
        }.joined(separator: "\n")
    }

    /// The output of `--help`, with a line end.
    package var help: String {
        let rows = options.map { option in
            (option.spelling + (option.value.map { " \($0)" } ?? ""), option.summary)
        }
        return [synopsis, summary, Self.table(rows), discussion].filter { !$0.isEmpty }.joined(separator: "\n\n") + "\n"
    }

    /// Returns the rows as lines of text, with the second column aligned.
    static func table(_ rows: [(String, String)]) -> String {
        let width = rows.map(\.0.count).max() ?? 0
        return rows.map { row in
            "  " + row.0 + String(repeating: " ", count: width - row.0.count) + "  " + row.1
        }.joined(separator: "\n")
    }
}
