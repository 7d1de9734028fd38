import Exchange
import Glibc
import LinuxSystem

/// The environment that a service manager such as systemd gives to this process: the notification socket
/// (sd_notify(3)), and the stored descriptors with their names (sd_listen_fds(3)).
final class ServiceSurroundings: Sendable {
    /// The notification socket; `nil` if this process was not started by a service manager.
    let socket: NotifySocket?
    private let passed: Lock<[(name: String, descriptor: FileDescriptor)]>

    private init(socket: NotifySocket?, passed: [(name: String, descriptor: FileDescriptor)]) {
        self.socket = socket
        self.passed = Lock(passed)
    }

    private static let firstPassed: CInt = 3
    private static let passedLimit: CInt = 65_536

    /// Reads the socket and the descriptors from the environment, and removes their variables, because child processes
    /// must not act as the service. Called once, before another thread is started.
    static func take() -> ServiceSurroundings {
        defer { for name in ["NOTIFY_SOCKET", "LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"] { unsetenv(name) } }
        return ServiceSurroundings(
            socket: variable("NOTIFY_SOCKET").flatMap { NotifySocket(path: $0) }, passed: passedDescriptors)
    }

    /// Returns the passed descriptors, and releases this object's references to them. They are closed when the caller
    /// releases them.
    func takePassed() -> [(name: String, descriptor: FileDescriptor)] {
        passed.withLock { passed in
            defer { passed = [] }
            return passed
        }
    }

    private static var passedDescriptors: [(name: String, descriptor: FileDescriptor)] {
        // The variables may be inherited from the parent process.
        guard let process = variable("LISTEN_PID"), pid_t(process) == getpid(),
            let count = variable("LISTEN_FDS").flatMap({ CInt($0) }), (1...passedLimit).contains(count)
        else { return [] }
        let names = (variable("LISTEN_FDNAMES") ?? "").split(separator: ":", omittingEmptySubsequences: false)
        return (0..<count).compactMap { index in
            let number = firstPassed + index
            guard fcntl(number, F_SETFD, FD_CLOEXEC) == 0 else { return nil }
            return (Int(index) < names.count ? String(names[Int(index)]) : "", FileDescriptor(owning: number))
        }
    }

    private static func variable(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
}

/// A file beside the socket. It records that a service manager runs the daemon and restarts it after a crash. It exists
/// until the service ends properly, or until a daemon that is not a service runs instead.
///
/// The manager passes the mounts of a dead daemon only to the next daemon that the manager starts. If another daemon
/// were started on demand first, the mounts would end.
struct ServiceMarkerFile {
    let path: String
    private let socket: String

    /// The timeout for the manager to restart the daemon.
    private static let timeout = Duration.seconds(10)

    init(_ locations: Locations) {
        socket = locations.socket
        path = socket + ".service"
    }

    func leave() throws(Errno) { _ = try FileDescriptor.open(path, [.writeOnly, .create, .noFollow]) }

    func remove() { unlink(path) }

    /// Waits until the service manager has restarted a dead daemon, if a service manager runs the daemon.
    ///
    /// - Returns: Whether the daemon is running.
    func waitForNextStart() -> Bool {
        let end = ContinuousClock.now + Self.timeout
        while access(path, F_OK) == 0 {
            if Daemon.answers(socket) { return true }
            guard ContinuousClock.now < end else { return false }
            usleep(20_000)
        }
        return false
    }
}
