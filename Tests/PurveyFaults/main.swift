// purvey-faults: kills, stops, disconnects and fills the disk at every step of what is done in a mounted domain, and tells what
// was lost. Harness.Options has its arguments.
//
// Exit status 0 when nothing was lost, 1 when something was, 2 for wrong usage.
import FaultHarness
import Glibc
import LinuxSystem

/// A line that is seen at once, wherever it goes.
@Sendable func say(_ line: String, on descriptor: CInt = STDOUT_FILENO) {
    let bytes = Array((line + "\n").utf8)
    _ = write(descriptor, bytes, bytes.count)
}

signal(SIGPIPE, SIG_IGN)
do {
    let options = try Harness.Options(arguments: Array(CommandLine.arguments.dropFirst()))
    try Leftover.removeAllAtSignals()
    let summary = try Harness(options) { say($0) }.run()
    say("\(summary)")
    exit(summary.losses == 0 ? 0 : 1)
} catch let error as Harness.Options.WrongUsage {
    say("purvey-faults: \(error)", on: STDERR_FILENO)
    exit(2)
} catch {
    say("purvey-faults: \(error)", on: STDERR_FILENO)
    exit(1)
}
