import Conduit
import LinuxSystem

extension DaemonConnector {
    /// Creates the connector to the user's own daemon, or to the daemon in `PURVEY_HOME` if this variable is set. The
    /// daemon is started if necessary.
    package convenience init(_ locations: @escaping @Sendable () throws -> Locations = { try Locations.current() }) {
        self.init(
            connect: { service in
                let locations = try locations()
                if let connection = try Self.join(locations, service) { return connection }
                try DaemonLauncher.start(locations)
                do throws(ConduitError) {
                    return try Connection.connect(to: locations.socket, service: service, limits: Self.limits)
                } catch {
                    throw ExchangeError.daemonUnavailable("\(locations.socket): \(error)")
                }
            },
            join: { service in try Self.join(try locations(), service) },
            check: { connection in
                do {
                    try locations().check(connection)
                } catch ExchangeError.interrupted {
                    // The caller's next request fails as well, because the connection has ended, and is then repeated.
                }
            })
    }

    /// The limits of the connection. The number of queued bytes is not limited, because a daemon that has just started
    /// may read slowly, and the connection would otherwise be closed.
    private static let limits = ConnectionLimits(queuedBytes: .max)

    /// Connects to a running daemon.
    ///
    /// - Returns: `nil` if no daemon runs.
    private static func join(_ locations: Locations, _ service: Service) throws -> Connection? {
        do throws(ConduitError) {
            return try Connection.connect(to: locations.socket, service: service, limits: limits)
        } catch .system(.noSuchFile) {
            return nil
        } catch .system(.connectionRefused) {
            return nil
        } catch {
            throw ExchangeError.daemonUnavailable("\(locations.socket): \(error)")
        }
    }
}

/// Returns a retained `DaemonConnector`. Modules that do not depend on this module look up this function by name.
@_cdecl("purvey_daemon_entrance") package func daemonEntrance() -> UnsafeMutableRawPointer {
    Unmanaged.passRetained(DaemonConnector()).toOpaque()
}
