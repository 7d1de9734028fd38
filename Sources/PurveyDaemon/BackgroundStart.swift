import Exchange
import Glibc
import LinuxSystem

/// Starts the daemon in the background and waits until it is ready: what `purveyd` without `--foreground` does.
///
/// The program starts itself once more in a session of its own, with the log file as its output, because a process
/// that runs Swift cannot fork.
///
/// The daemon outlives whoever was the first to need it, so it keeps nothing of theirs: it is in `/` and holds no file
/// system that is to be unmounted, what they ignore of signals it does not, and their limits are raised as far as the
/// system lets it.
enum BackgroundStart {
    /// What the daemon says when it listens.
    static let ready = "ready"
    /// What it says when there is a daemon already.
    static let alreadyRunning = "already running"

    /// Returns the exit status.
    static func run(_ options: DaemonOptions, locations: Locations) -> CInt {
        do throws(LocationError) {
            try locations.prepare()
        } catch {
            return fail("\(error)")
        }
        if ServiceMark(locations).waitForNextStart() { return 0 }
        let log: FileDescriptor
        do {
            log = try openLog(locations.log)
        } catch {
            return fail("the log \(locations.log) cannot be written: \(error)")
        }
        do {
            let (messages, daemon) = try start(options, locations: locations, log: log)
            // However busy the machine is; one that ends says so by that.
            let answer = try StartMessages.collect(from: messages, seconds: 120)
            switch answer {
            case ready, alreadyRunning: return 0
            case "" where (try? daemon.wait()) == .signalled(SIGTERM):
                // Somebody told it to end before it could take that down: whoever asks has to see the same.
                signal(SIGTERM, SIG_DFL)
                raise(SIGTERM)
                return 1
            case "": return fail("the daemon ended while it started; \(locations.log) may say why")
            default: return fail(answer)
            }
        } catch {
            return fail("the daemon cannot be started: \(error)")
        }
    }

    private static func start(
        _ options: DaemonOptions, locations: Locations, log: FileDescriptor
    ) throws(Errno) -> (messages: FileDescriptor, daemon: ChildProgram) {
        let (ours, theirs) = try StartMessages.channel()
        var arguments = ["--foreground", "--socket", locations.socket, "--log", "\(options.level)"]
        if options.noMount { arguments.append("--no-mount") }
        arguments += ["--ready-descriptor", "3", "--deaths", "\(options.deaths ?? 0)"]
        for limit in ResourceLimit.allCases { try? limit.raise() }
        let program = try FileDescriptor.open("/proc/self/exe", .pathOnly).path ?? "/proc/self/exe"
        let daemon = try ChildProgram.start(
            program, arguments: arguments, descriptors: [nil, log, log, theirs], workingFolder: "/",
            newSession: true)
        return (ours, daemon)
    }

    /// The log file, begun anew when it has grown too long.
    private static func openLog(_ path: String) throws(Errno) -> FileDescriptor {
        if let status = try? FileStatus.of(path, followingLinks: false), status.size > 4 << 20 {
            rename(path, path + ".old")
        }
        return try .open(path, [.writeOnly, .create, .append, .noFollow])
    }

    static func fail(_ message: String) -> CInt { DaemonOptions.manual.complain(message) }
}
