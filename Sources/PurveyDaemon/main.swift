// `purveyd`: introduces the processes of one user to each other.
import Exchange
import Glibc
import LinuxSystem

// A peer that goes away shows where we write to it.
signal(SIGPIPE, SIG_IGN)
// A file that may not grow any more is an error of the one that writes it.
signal(SIGXFSZ, SIG_IGN)
umask(0o077)
StandardDescriptors.fillMissing()

do {
    let service = ServiceSurroundings.take()
    let arguments = Array(CommandLine.arguments.dropFirst())
    if let status = DaemonOptions.manual.answer(arguments) { exit(status) }
    let options = try DaemonOptions(arguments)
    var locations = try Locations.current()
    if let socket = options.socket {
        locations.socket = socket
    } else {
        // A program that starts this one names the socket, and has said so itself.
        for warning in locations.warnings { DaemonOptions.manual.complain("warning: \(warning)") }
    }
    let status =
        options.foreground
        ? Daemon.run(options, locations: locations, service) : BackgroundStart.run(options, locations: locations)
    // Not by exit(3): threads are at work still, and what libraries do at the end would take away under them what they use. Nothing of the
    // daemon's own is left for then.
    fflush(nil)
    _exit(status)
} catch let error as DaemonOptions.Mistake {
    exit(DaemonOptions.manual.misuse(error.message))
} catch {
    exit(BackgroundStart.fail("\(error)"))
}
