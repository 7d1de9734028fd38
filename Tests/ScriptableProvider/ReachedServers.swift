import Foundation
import LinuxSystem

/// A probe of the local servers that a user interface with an X11 display can reach.
enum ReachedServers {
    /// The result of connecting to each server.
    static var all: String {
        // The home of the daemon's place; the extension's container is at PLACE/data/containers/NAME.
        let place = URL(fileURLWithPath: NSHomeDirectory()).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let daemon = place.path + "/run/daemon.socket"
        let number = ProcessInfo.processInfo.environment["DISPLAY"].flatMap { PassedDisplay.number(of: $0) } ?? 0
        let display = PassedDisplay.path(ofDisplay: number)
        var results = [
            "daemon: \(outcome { try FileDescriptor.connectedStream(to: LocalSocketAddress(path: daemon)) })",
            "other kind: \(outcome { try SequencedPacketSocket.connect(to: LocalSocketAddress(path: daemon)) })",
        ]
        do {
            let connection = try FileDescriptor.connectedStream(to: LocalSocketAddress(path: display))
            results += ["display: reached", "beside it: \(again(display))"]
            withExtendedLifetime(connection) {}
        } catch {
            results.append("display: \(error)")
        }
        results.append("again: \(again(display))")
        return results.joined(separator: ", ")
    }

    private static func again(_ path: String) -> String {
        outcome { try FileDescriptor.connectedStream(to: LocalSocketAddress(path: path)) }
    }

    private static func outcome(_ connect: () throws -> Any) -> String {
        do {
            _ = try connect()
            return "reached"
        } catch {
            return "\(error)"
        }
    }
}
