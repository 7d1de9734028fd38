// `purveyd`: connects the processes of one user with each other.
import Exchange
import Glibc
import LinuxSystem
import ProgramManuals

// Makes a write to a peer that has closed its socket fail with EPIPE, instead of ending this process.
signal(SIGPIPE, SIG_IGN)
// Makes a write beyond the limit on file sizes fail with EFBIG, instead of ending this process.
signal(SIGXFSZ, SIG_IGN)
umask(0o077)
// Core dumps are forbidden because the memory of this process contains a password while a client sends it to a
// provider.
CoreDumps.forbid()
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
        // A program that starts the daemon passes the socket as an option, and has printed the warnings itself.
        for warning in locations.warnings { DaemonOptions.manual.complain("warning: \(warning)") }
    }
    let status =
        options.foreground
        ? Daemon.run(options, locations: locations, service) : BackgroundStart.run(options, locations: locations)
    // exit(3) is not called, because threads are still running, and the exit handlers of libraries would free objects
    // that these threads use. The daemon itself has no exit handlers.
    fflush(nil)
    _exit(status)
} catch let error as DaemonOptions.UsageError {
    exit(DaemonOptions.manual.misuse(error.message))
} catch {
    exit(BackgroundStart.fail("\(error)"))
}
