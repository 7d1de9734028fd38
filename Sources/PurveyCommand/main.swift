// The `purvey` command line. One file for each command; a new one is one line here.
import Glibc
import LinuxSystem

let commands: [Command] = [
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
]

/// A reader that goes away shows as EPIPE where the output is written, not as a signal that ends us at any moment.
signal(SIGPIPE, SIG_IGN)
StandardDescriptors.fillMissing()

let words = CommandLine.arguments.dropFirst()
if let word = Arguments.firstUnreadable {
    StandardError.complain(
        "the argument '\(word)' is not UTF-8: write it so; a file with such a name can be had by its folder, or by a new name"
    )
    exit(2)
}
guard let name = words.first else {
    StandardError.complain("a command is missing; see 'purvey --help'")
    exit(2)
}

do {
    if name == "--help" || name == "-h" {
        try StandardOutput.print(Help.text(for: commands))
        exit(0)
    }
    guard let command = commands.first(where: { $0.name == name }) else {
        StandardError.complain("there is no command '\(name)'; see 'purvey --help'")
        exit(2)
    }
    let arguments = try Arguments(words.dropFirst(), for: command.options)
    if arguments.wantsHelp {
        try StandardOutput.print(Help.text(for: command))
        exit(0)
    }
    try await command.run(arguments)
    exit(0)
} catch let error as UsageError {
    StandardError.complain("\(name): \(error.message); see 'purvey \(name) --help'")
    exit(2)
} catch let error as CommandError {
    StandardError.complain("\(name): \(error.message)")
    exit(1)
} catch let error as Errno where error == .brokenPipe {
    // Whoever read our output has seen enough.
    exit(1)
} catch {
    StandardError.complain("\(name): \(error)")
    exit(1)
}
