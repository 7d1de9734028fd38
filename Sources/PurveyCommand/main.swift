// The `purvey` command line. Each command has its own file. `Command.all` lists the commands.
import Exchange
import Glibc
import LinuxSystem
import ProgramManuals

/// The signal SIGPIPE is ignored, so that a write to a closed pipe fails with EPIPE instead of ending the process.
signal(SIGPIPE, SIG_IGN)
// Core dumps are forbidden because the memory of this process contains a password that the user enters.
CoreDumps.forbid()
StandardDescriptors.fillMissing()

let words = CommandLine.arguments.dropFirst()
if let word = Arguments.firstUnreadable {
    StandardError.complain(
        "the argument '\(word)' is not UTF-8: to use a file with such a name, name its folder, or rename the file"
    )
    exit(2)
}
guard let name = words.first else {
    StandardError.complain("a command is missing; see 'purvey --help'")
    exit(2)
}

/// The prefix of error messages, and the command that shows the relevant help.
var (subject, manual) = ("", "purvey --help")

do {
    if name == "--version" {
        if let extra = words.dropFirst().first { throw UsageError("unexpected argument '\(extra)'") }
        try StandardOutput.print("purvey \(PurveyVersion.text)\n")
        exit(0)
    }
    if name == "--complete" {
        try await KnownValues.complete(Array(words.dropFirst()))
        exit(0)
    }
    if name == "--manual-page" || name == "--completions", let status = Help.manual.answer(words) { exit(status) }
    // After '--help', the name of a command shows the help of that command.
    let command = try ["--help", "-h"].contains(name) ? Command.help : Command.chosen(by: name)
    if command.name != Command.help.name { (subject, manual) = ("\(name): ", "purvey \(name) --help") }
    let arguments = try Arguments(words.dropFirst(), for: command.options)
    if arguments.wantsHelp {
        try StandardOutput.print(Help.text(for: command))
        exit(0)
    }
    if command.usesLocations { LocationWarnings.complain() }
    ExchangeClient.shared.silenceHandler.withLock { [subject] handler in
        handler = { StandardError.complain("\(subject)\($0)") }
    }
    try await command.run(arguments)
    exit(0)
} catch let error as UsageError {
    StandardError.complain("\(subject)\(error.message); see '\(manual)'")
    exit(2)
} catch let error as CommandError {
    StandardError.complain("\(subject)\(error.message)")
    exit(1)
} catch let error as StandardOutputError where error.isBrokenPipe {
    exit(1)
} catch {
    StandardError.complain("\(subject)\(error)")
    exit(1)
}
