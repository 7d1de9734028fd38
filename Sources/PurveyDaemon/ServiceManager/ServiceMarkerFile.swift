import Exchange
import Glibc
import LinuxSystem

/// A file beside the socket which says that a service manager runs the daemon and restarts it after a crash. It
/// exists until the service ends in order, or a daemon that is not a service has taken the place.
///
/// The manager passes the mounts of a dead daemon only to its own next start. A daemon that is started on demand in
/// between would take the place of that one, and the mounts would end.
struct ServiceMarkerFile {
    let path: String
    private let socket: String

    /// The time that the manager has to restart the daemon.
    private static let timeout = Duration.seconds(10)

    init(_ locations: Locations) {
        socket = locations.socket
        path = socket + ".service"
    }

    func leave() throws(Errno) { _ = try FileDescriptor.open(path, [.writeOnly, .create, .noFollow]) }

    func remove() { unlink(path) }

    /// Waits for the next start of a service that has died, if there is a service.
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
