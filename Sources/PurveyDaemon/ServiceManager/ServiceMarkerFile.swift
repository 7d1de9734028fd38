import Exchange
import Glibc
import LinuxSystem

/// A file beside the socket. It records that a service manager runs the daemon and restarts it after a crash. It exists
/// until the service ends in order, or until a daemon that is not a service runs instead.
///
/// The manager passes the mounts of a dead daemon only to the daemon that it starts next. If another daemon were
/// started on demand before that one, the mounts would end.
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
