import Exchange
import Glibc
import LinuxSystem

/// A file beside the socket that says that a service manager runs the daemon, and starts it again when it dies. It is there until the
/// service ends in good order, or a daemon has taken the place that is none.
///
/// The manager hands the mounts of a daemon that has died to its own next start only. One that is started on demand in between would
/// take that one's place, and end them.
struct ServiceMark {
    let path: String
    private let socket: String

    /// How long the manager may take.
    private static let patience = Duration.seconds(10)

    init(_ locations: Locations) {
        socket = locations.socket
        path = socket + ".service"
    }

    func leave() throws(Errno) { _ = try FileDescriptor.open(path, [.writeOnly, .create, .noFollow]) }

    func remove() { unlink(path) }

    /// Waits for the next start of a service that has died, where there is one.
    ///
    /// - Returns: whether the daemon is there.
    func waitForNextStart() -> Bool {
        let end = ContinuousClock.now + Self.patience
        while access(path, F_OK) == 0 {
            if Daemon.answers(socket) { return true }
            guard ContinuousClock.now < end else { return false }
            usleep(20_000)
        }
        return false
    }
}
