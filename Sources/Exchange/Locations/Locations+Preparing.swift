import Glibc
import LinuxSystem

/// Why no daemon can serve from its locations: one sentence, with what to do.
package struct LocationError: Error, CustomStringConvertible {
    package let description: String
}

extension Locations {
    /// Makes the folders that a daemon writes to, and makes sure that it may.
    ///
    /// A daemon that cannot keep anything must not take the place at the socket: it would serve later commands, whose own
    /// environment is in order, from nowhere. The folder of settings is not among the folders, because the daemon only
    /// reads there.
    package func prepare() throws(LocationError) {
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

    /// Returns what is wrong with a home folder. It is not made: with a typing mistake in its name, everything would be
    /// written to a wrong place.
    private static func fault(ofHome folder: String) -> String? {
        do throws(Errno) {
            return try FileStatus.of(folder).kind == .directory ? nil : "is no folder"
        } catch .noSuchFile {
            return "does not exist"
        } catch {
            return "cannot be looked at (\(error))"
        }
    }

    /// Makes a folder where it is missing, and returns why nothing can be kept there.
    private static func fault(ofKept folder: String) -> String? {
        do throws(Errno) {
            try PrivateFolder.makeAll(folder)
            let status = try FileStatus.of(folder)
            if status.kind != .directory { return "it is no folder" }
            if status.owner != geteuid() { return foreign }
            try retrying { access(folder, W_OK | X_OK) }
            return nil
        } catch  where error == .noSpace || error == .quotaExceeded {
            // There may be room later. What needs it meanwhile fails by itself.
            return nil
        } catch {
            return "\(error)"
        }
    }
}
