import Conduit
import Exchange
import Glibc
import LinuxSystem

/// The main thread's part once the daemon serves: it waits for the end, and sees to it that the daemon can be found.
///
/// Whoever cleans up a folder for temporary files, or removes the daemon's folder, takes the socket's name away. The
/// daemon lives on with all that is offered, but nobody finds it: then it listens anew, or makes room for another daemon
/// that has taken the place.
struct Vigil {
    private let signals: SignalDescriptor
    private let listener: Listener
    /// Whether nobody needs the daemon.
    private let isIdle: () -> Bool
    private let locations: Locations
    private let log: DaemonLog
    private let endsWhenIdle: Bool
    /// `nil` where the system has no room for one: then the beat has to do.
    private var watch: FolderWatch?

    /// Seconds between two looks when nothing happens.
    private static let beat = 10
    /// Whoever removes a folder is not disturbed at it.
    private static let patienceMicroseconds: useconds_t = 300_000

    /// - Parameter signals: those that end the daemon.
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

    /// Returns why it is time to end.
    mutating func waitForTheEnd() -> String {
        var idleSeconds = 0
        while true {
            var waited = [
                pollfd(fd: signals.descriptor.rawValue, events: CShort(POLLIN), revents: 0),
                pollfd(fd: watch?.descriptor.rawValue ?? -1, events: CShort(POLLIN), revents: 0),
            ]
            let ready = poll(&waited, nfds_t(waited.count), CInt(Self.beat * 1000))
            if waited[0].revents != 0 {
                if let number = signals.take(), number != SIGHUP { return "of signal \(number)" }
                // The terminal that it was started from has gone; that is no reason to end.
                continue
            }
            if waited[1].revents != 0 {
                watch?.reset()
                usleep(Self.patienceMicroseconds)
            }
            if !listener.isInPlace, let reason = takePlaceAgain() { return reason }
            guard ready == 0, endsWhenIdle else { continue }
            idleSeconds = isIdle() ? idleSeconds + Self.beat : 0
            if idleSeconds >= 3 * Self.beat { return "nothing is offered and nobody is connected" }
        }
    }

    /// Returns why the daemon had better end instead.
    private mutating func takePlaceAgain() -> String? {
        if endsWhenIdle, isIdle() { return "its socket \(locations.socket) was removed" }
        do {
            try PrivateFolder.make(locations.runtime)
        } catch {
            log.error("the folder \(locations.runtime) cannot be used: \(error)")
            return nil
        }
        do throws(ListenerError) {
            try listener.takePlaceAgain()
            log.warning("the socket \(locations.socket) was removed: listens there again")
        } catch .inUse {
            return "its socket was removed, and another daemon has taken the place"
        } catch {
            // Tried again at the next beat.
            log.error("\(error)")
        }
        watch = Self.watch(locations)
        return nil
    }
}
