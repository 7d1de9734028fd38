import LinuxSystem

extension Command {
    static let help = Command(
        name: "help", summary: "explain a command, or list them all", usage: ["[COMMAND]"], options: [],
        usesLocations: false
    ) { arguments in
        if arguments.operands.count > 1 { throw UsageError("unexpected argument '\(arguments.operands[1])'") }
        guard let name = arguments.operands.first else {
            return try StandardOutput.print(Help.text(for: Command.all))
        }
        try StandardOutput.print(Help.text(for: try Command.chosen(by: name)))
    }
}

/// The texts of `--help`.
enum Help {
    /// Returns the help of the whole program.
    static func text(for commands: [Command]) -> String {
        let width = commands.map(\.name.count).max() ?? 0
        let rows = commands.map { "  " + padded($0.name, to: width) + "  " + $0.summary }
        return """
            usage: purvey COMMAND [OPTION…] [ARGUMENT…]
                   purvey help [COMMAND]
                   purvey --version

            \(rows.joined(separator: "\n"))

            'purvey help COMMAND', or 'purvey COMMAND --help', explains a command.

            """
    }

    /// Returns the help of one command.
    static func text(for command: Command) -> String {
        let usage = command.usage.enumerated().map { index, form in
            (index == 0 ? "usage: " : "       ") + "purvey \(command.name)" + (form.isEmpty ? "" : " " + form)
        }
        let help = Option.flag("help", "show this (also -h)")
        let options = (command.options + [help]).map { option in
            (option.spelling + (option.value.map { " \($0)" } ?? ""), option.summary)
        }
        let width = options.map(\.0.count).max() ?? 0
        let rows = options.map { "  " + padded($0.0, to: width) + "  " + $0.1 }
        let blocks = [
            usage.joined(separator: "\n"), command.summary, rows.joined(separator: "\n"), command.discussion,
        ]
        return blocks.filter { !$0.isEmpty }.joined(separator: "\n\n") + "\n"
    }

    private static func padded(_ text: String, to width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }
}
