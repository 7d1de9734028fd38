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
    let options = try DaemonOptions(Array(CommandLine.arguments.dropFirst()))
    if options.help {
        print(DaemonOptions.helpText, terminator: "")
        exit(0)
    }
    let current = try Locations.current()
    let locations = Locations(
        runtime: current.runtime, data: current.data, cache: current.cache, mounts: current.mounts,
        thumbnails: current.thumbnails, configuration: current.configuration, socket: options.socket)
    let status =
        options.foreground
        ? Daemon.run(options, locations: locations, service) : BackgroundStart.run(options, locations: locations)
    // Not by exit(3): threads are at work still, and what libraries do at the end would take away under them what they use. Nothing of the
    // daemon's own is left for then.
    fflush(nil)
    _exit(status)
} catch let error as DaemonOptions.Mistake {
    _ = BackgroundStart.fail("\(error.message); see 'purveyd --help'")
    exit(2)
} catch {
    exit(BackgroundStart.fail("\(error)"))
}
