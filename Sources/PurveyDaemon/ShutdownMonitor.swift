import Conduit
import Exchange
import Glibc
import LinuxSystem

/// The main thread's loop while the daemon runs. It waits for a signal or another reason to end, and creates the socket
/// again if the socket was removed.
///
/// A cleaner of temporary files, or a user who removes the daemon's directory, may unlink the socket. The daemon would
/// then continue, but clients could not connect. In this case the daemon binds a new socket, or ends if another daemon
/// has bound one.
struct ShutdownMonitor {
    private let signals: SignalDescriptor
    private let listener: Listener
    /// Whether no client needs the daemon.
    private let isIdle: () -> Bool
    private let locations: Locations
    private let log: DaemonLog
    private let endsWhenIdle: Bool
    /// A watch of the socket's directory; `nil` if the system has no space for a watch. Without a watch, the socket is
    /// checked at the poll interval.
    private var watch: FolderWatch?

    /// The poll interval in seconds.
    private static let pollSeconds = 10
    /// The delay between a change of the directory and the check of the socket. A process that is removing the
    /// directory can thus finish before the daemon creates the directory again.
    private static let settleMicroseconds: useconds_t = 300_000

    /// - Parameter signals: The signals that end the daemon.
    init(
        signals: SignalDescriptor, listener: Listener, isIdle: @escaping () -> Bool, locations: Locations,
        log: DaemonLog, endsWhenIdle: Bool
    ) {
        self.signals = signals
        self.listener = listener
        self.isIdle = isIdle
        self.locations = locations
        self.log = log
        self.endsWhenIdle = endsWhenIdle
        watch = Self.watch(locations)
    }

    private static func watch(_ locations: Locations) -> FolderWatch? {
        let folder = locations.socket.lastSlash.map { String(locations.socket[..<$0]) } ?? "."
        return try? FolderWatch(folder.isEmpty ? "/" : folder)
    }

    /// Waits until the daemon must end. Returns the reason.
    mutating func waitForShutdown() -> String {
        var idleSeconds = 0
        while true {
            var waited = [
                pollfd(fd: signals.descriptor.rawValue, events: CShort(POLLIN), revents: 0),
                pollfd(fd: watch?.descriptor.rawValue ?? -1, events: CShort(POLLIN), revents: 0),
            ]
            let ready = poll(&waited, nfds_t(waited.count), CInt(Self.pollSeconds * 1000))
            if waited[0].revents != 0 {
                if let number = signals.take(), number != SIGHUP { return "of signal \(number)" }
                // The terminal from which the daemon was started was closed. The daemon continues.
                continue
            }
            if waited[1].revents != 0 {
                watch?.reset()
                usleep(Self.settleMicroseconds)
            }
            if !listener.isListening, let reason = listenAgain() { return reason }
            guard ready == 0, endsWhenIdle else { continue }
            idleSeconds = isIdle() ? idleSeconds + Self.pollSeconds : 0
            if idleSeconds >= 3 * Self.pollSeconds { return "nothing is offered and no client is connected" }
        }
    }

    /// Binds a new socket after the socket was removed. Returns `nil`, or the reason why the daemon must end instead.
    private mutating func listenAgain() -> String? {
        if endsWhenIdle, isIdle() { return "its socket \(locations.socket) was removed" }
        do {
            try PrivateFolder.make(locations.runtime)
        } catch {
            log.error("the folder \(locations.runtime) cannot be used: \(error)")
            return nil
        }
        do throws(ListenerError) {
            try listener.listenAgain()
            log.warning("the socket \(locations.socket) was removed: listens there again")
        } catch .inUse {
            return "its socket was removed, and another daemon has taken the place"
        } catch {
            // The next poll tries to bind the socket again.
            log.error("\(error)")
        }
        watch = Self.watch(locations)
        return nil
    }
}
