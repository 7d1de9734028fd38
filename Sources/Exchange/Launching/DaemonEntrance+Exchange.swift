import Conduit
import LinuxSystem

extension DaemonEntrance {
    /// The way into the user's own daemon (or the one that `PURVEY_HOME` points to), which is started if there is none.
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
                    // The question that follows fails with the connection, and is asked again.
                }
            })
    }

    /// What is said here is said once, however much it is, and a daemon that has just started takes it in its own time.
    private static let limits = ConnectionLimits(queuedBytes: .max)

    /// - Returns: `nil` where no daemon runs.
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

/// Found by modules that are on the same floor as this one.
@_cdecl("purvey_daemon_entrance") package func daemonEntrance() -> UnsafeMutableRawPointer {
    Unmanaged.passRetained(DaemonEntrance()).toOpaque()
}
