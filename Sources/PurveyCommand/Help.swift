import LinuxSystem
import ProgramManuals

extension Command {
    static let help = Command(
        name: "help", summary: "explain a command, or list them all", usage: ["[COMMAND]"], options: [],
        usesLocations: false
    ) { arguments in
        guard let name = arguments.operands.first else { return try StandardOutput.print(Help.manual.help) }
        let command = try Command.chosen(by: name)
        var rest = arguments.operands.dropFirst()
        // The help of 'domains' explains 'domains add', too.
        if let verb = rest.first, command.verbs.contains(verb) { rest = rest.dropFirst() }
        if let word = rest.first { throw UsageError("unexpected argument '\(word)'") }
        try StandardOutput.print(Help.text(for: command))
    }
}

/// The description of the command line, from which the help, the manual page and the completions are made.
enum Help {
    /// The description of the whole program.
    static let manual = ProgramManual(
        name: "purvey", summary: "files of services as folders, and items between programs",
        usage: ["COMMAND [OPTION…] [ARGUMENT…]", "help [COMMAND]", "--version"],
        text: """
            Mounts the files of services as folders, hands items from one program to another, and knows the types of files.
            The daemon, purveyd, is started by the first command that needs it.
            """,
        discussion: "'purvey help COMMAND', or 'purvey COMMAND --help', explains a command.",
        commands: Command.all.map(description))

    /// Returns the help of one command.
    static func text(for command: Command) -> String { description(of: command).help }

    private static func description(of command: Command) -> CommandManual {
        let help = Option.flag("help", "show this (also -h)")
        return CommandManual(
            program: "purvey", name: command.name, summary: command.summary, usage: command.usage,
            options: (command.options + [help]).map { option in
                CommandManual.Option(name: option.name, value: option.value, summary: option.summary)
            },
            discussion: command.discussion)
    }
}
