// purvey-faults: kills, stops, disconnects and fills the disk at every step of operations in a mounted domain, and
// reports lost data. Exit status 0 when nothing was lost, 1 when something was, 2 for wrong usage.
import FaultHarness
import Glibc
import LinuxSystem
import ProgramManuals

/// Prints a line unbuffered.
@Sendable func say(_ line: String) {
    let bytes = Array((line + "\n").utf8)
    _ = write(STDOUT_FILENO, bytes, bytes.count)
}

signal(SIGPIPE, SIG_IGN)
let manual = Harness.Options.manual
let arguments = Array(CommandLine.arguments.dropFirst())
if let status = manual.answer(arguments) { exit(status) }
do {
    let options = try Harness.Options(arguments: arguments)
    try ExitCleanup.removeAllAtSignals()
    let summary = try Harness(options) { say($0) }.run()
    say("\(summary)")
    exit(summary.losses == 0 ? 0 : 1)
} catch let error as Harness.Options.WrongUsage {
    exit(manual.misuse("\(error)"))
} catch {
    exit(manual.complain("\(error)"))
}
