import Glibc
import LinuxSystem

/// The reason why a daemon cannot use its locations: a sentence that includes a remedy.
package struct LocationError: Error, CustomStringConvertible {
    package let description: String
}

extension Locations {
    /// Creates the directories that a daemon writes to, and checks their permissions.
    ///
    /// A daemon that cannot store data must not bind the socket, because later commands with a correct environment
    /// would connect to this daemon. The settings directory is not created, because the daemon only reads it.
    package func prepare() throws(LocationError) {
        let folder = socket.lastSlash.map { $0 == socket.startIndex ? "/" : String(socket[..<$0]) } ?? "."
        // The directory of a socket at another path is not created if it is missing, because the path may be mistyped.
        guard folder == runtime || (try? FileStatus.of(folder))?.kind == .directory else {
            throw LocationError(
                description: "the socket \(socket) cannot be made: there is no folder \(folder); make it, for you alone"
            )
        }
        if let home, let fault = Self.fault(ofHome: home) {
            throw LocationError(
                description:
                    "the home folder \(home) \(fault): set HOME to a folder of yours, or PURVEY_HOME for Purvey alone")
        }
        for folder in [data, cache] {
            guard let fault = Self.fault(ofKept: folder) else { continue }
            throw LocationError(
                description:
                    "the folder \(folder) cannot be used: \(fault); set HOME or PURVEY_HOME to a folder of yours")
        }
        do {
            try PrivateFolder.make(runtime)
        } catch {
            let fault = error == .notPermitted ? Self.foreign : "\(error)"
            throw LocationError(description: "the folder \(runtime) cannot be used: \(fault)")
        }
    }

    private static let foreign = "it belongs to another user"

    /// Returns the reason why the home directory cannot be used; `nil` if it can be used. A missing directory is not
    /// created. If its name was mistyped, all data would be written to the wrong place.
    ///
    /// A home directory of another user is refused, even if this process may write to it, as root may. The other user
    /// could not use the directories that this process would create. A home directory that root owns is accepted,
    /// because root owns the home of a user in some containers.
    private static func fault(ofHome folder: String) -> String? {
        do throws(Errno) {
            let status = try FileStatus.of(folder)
            if status.kind != .directory { return "is not a folder" }
            return [geteuid(), 0].contains(status.owner) ? nil : "belongs to another user"
        } catch .noSuchFile {
            return "does not exist"
        } catch {
            return "cannot be looked at (\(error))"
        }
    }

    /// Creates the given directory if it is missing. Returns the reason why no data can be stored in it; `nil` if data
    /// can be stored.
    private static func fault(ofKept folder: String) -> String? {
        do throws(Errno) {
            try PrivateFolder.makeAll(folder)
            let status = try FileStatus.of(folder)
            if status.kind != .directory { return "it is not a folder" }
            if status.owner != geteuid() { return foreign }
            try retrying { access(folder, W_OK | X_OK) }
            return nil
        } catch  where error == .noSpace || error == .quotaExceeded {
            // Space may become available later. Writes fail by themselves meanwhile.
            return nil
        } catch {
            return "\(error)"
        }
    }
}
