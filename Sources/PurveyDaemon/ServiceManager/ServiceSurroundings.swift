import Glibc
import LinuxSystem

/// What a service manager such as systemd has given to this process: the socket to tell it things (sd_notify(3)), and descriptors that it
/// has kept for it, with their names (sd_listen_fds(3)).
final class ServiceSurroundings: Sendable {
    /// `nil` where no service manager has started this process.
    let socket: NotifySocket?
    private let passed: Lock<[(name: String, descriptor: FileDescriptor)]>

    private init(socket: NotifySocket?, passed: [(name: String, descriptor: FileDescriptor)]) {
        self.socket = socket
        self.passed = Lock(passed)
    }

    private static let firstPassed: CInt = 3
    private static let passedLimit: CInt = 65_536

    /// Takes all of it out of the environment: no program that is started from here is the service. Called once, before there is another
    /// thread.
    static func take() -> ServiceSurroundings {
        defer { for name in ["NOTIFY_SOCKET", "LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"] { unsetenv(name) } }
        return ServiceSurroundings(
            socket: variable("NOTIFY_SOCKET").flatMap { NotifySocket(path: $0) }, passed: passedDescriptors)
    }

    /// What was passed; nothing of it stays here, so that it is closed when whoever takes it lets it go.
    func takePassed() -> [(name: String, descriptor: FileDescriptor)] {
        passed.withLock { passed in
            defer { passed = [] }
            return passed
        }
    }

    private static var passedDescriptors: [(name: String, descriptor: FileDescriptor)] {
        // They may be those of a process that has started this one.
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
