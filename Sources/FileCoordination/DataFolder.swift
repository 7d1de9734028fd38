import Foundation
import Glibc

/// The folder of what Purvey keeps for this user: in a confined process, a folder of its own container.
package enum DataFolder {
    /// Where it is, made or not: beneath `PURVEY_HOME` where that is set, else beneath `XDG_DATA_HOME` or the home folder.
    ///
    /// `nil` when `PURVEY_HOME` is not an absolute path: whoever sets it does not want the user's own folder.
    package static var path: String? {
        let environment = ProcessInfo.processInfo.environment
        if let home = environment["PURVEY_HOME"], !home.isEmpty { return home.hasPrefix("/") ? home + "/data" : nil }
        // The base directory specification: a relative path is invalid and is ignored.
        let base = environment["XDG_DATA_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
        return (base ?? NSHomeDirectory() + "/.local/share") + "/purvey"
    }

    /// Makes a folder that only this user may look into, and those above it.
    static func make(_ path: String) throws {
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }
}
