import Conduit
import LinuxSystem

extension DaemonEntrance {
    /// The way into the user's own daemon (or the one that `PURVEY_HOME` points to), which is started if there is none.
    package convenience init(_ locations: @escaping @Sendable () throws -> Locations = { try Locations.current() }) {
        self.init { service in
            let locations = try locations()
            do throws(ConduitError) {
                return try Connection.connect(to: locations.socket, service: service)
            } catch .system(.noSuchFile) {
            } catch .system(.connectionRefused) {
            } catch {
                throw ExchangeError.daemonUnavailable("\(locations.socket): \(error)")
            }
            try DaemonLauncher.start(locations)
            do throws(ConduitError) {
                return try Connection.connect(to: locations.socket, service: service)
            } catch {
                throw ExchangeError.daemonUnavailable("\(locations.socket): \(error)")
            }
        }
    }
}

/// Found by modules that are on the same floor as this one.
@_cdecl("purvey_daemon_entrance") package func daemonEntrance() -> UnsafeMutableRawPointer {
    Unmanaged.passRetained(DaemonEntrance()).toOpaque()
}
