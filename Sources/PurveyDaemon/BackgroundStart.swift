import Exchange
import Glibc
import LinuxSystem
import ProgramManuals

/// Starts the daemon in the background, as `purveyd` without `--foreground` does, and waits until the daemon is ready.
///
/// A process that runs Swift cannot fork. Therefore the program is started a second time, in a new session and with the
/// log file as its output.
///
/// The daemon outlives the process that started it, and inherits none of that process's state. Its working directory is
/// `/`, so that other file systems can be unmounted. It does not inherit ignored signals. Its resource limits are
/// raised to the system's maximum.
enum BackgroundStart {
    /// The message with which a daemon reports that it accepts connections.
    static let ready = "ready"
    /// The message with which a daemon reports that another one is already running.
    static let alreadyRunning = "already running"

    /// Starts the daemon. Returns the exit status.
    static func run(_ options: DaemonOptions, locations: Locations) -> CInt {
        do throws(LocationError) {
            try locations.prepare()
        } catch {
            return fail("\(error)")
        }
        if ServiceMarkerFile(locations).waitForNextStart() { return 0 }
        let log: FileDescriptor
        do {
            log = try openLog(locations.log)
        } catch {
            return fail("the log \(locations.log) cannot be written: \(error)")
        }
        do {
            let (messages, daemon) = try start(options, locations: locations, log: log)
            // The time limit is long because the machine may be busy. If the daemon ends, the closed channel ends the
            // wait.
            let answer = try StartMessages.collect(from: messages, seconds: 120)
            switch answer {
            case ready, alreadyRunning: return 0
            case "" where (try? daemon.wait()) == .signalled(SIGTERM):
                // The daemon received SIGTERM before it could handle the signal. This process ends by the same signal,
                // so that the caller sees the same status.
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

    /// Opens the log file. If the log file is too long, first renames it, so that a new one begins.
    private static func openLog(_ path: String) throws(Errno) -> FileDescriptor {
        if let status = try? FileStatus.of(path, followingLinks: false), status.size > 4 << 20 {
            rename(path, path + ".old")
        }
        return try .open(path, [.writeOnly, .create, .append, .noFollow])
    }

    static func fail(_ message: String) -> CInt { DaemonOptions.manual.complain(message) }
}
