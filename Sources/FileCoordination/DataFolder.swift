// This file is separate because app groups, bookmarks, versions and other modules use it.
import Foundation
import Glibc

/// The directory of Purvey's data for this user. For a confined process, it is a directory in the process's container.
package enum DataFolder {
    /// The path of the directory, which need not exist. The directory is in `PURVEY_HOME` if this variable is set,
    /// otherwise in `XDG_DATA_HOME` or in the home directory.
    ///
    /// The path is `nil` if `PURVEY_HOME` is set to a relative path, because a user who sets this variable does not
    /// want another directory to be used.
    package static var path: String? {
        let environment = ProcessInfo.processInfo.environment
        if let home = environment["PURVEY_HOME"], !home.isEmpty { return home.hasPrefix("/") ? home + "/data" : nil }
        // Per the XDG base directory specification, a relative path is invalid and ignored.
        let base = environment["XDG_DATA_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
        return (base ?? NSHomeDirectory() + "/.local/share") + "/purvey"
    }

    /// Creates a directory that only this user may access. Creates its parent directories if necessary.
    static func make(_ path: String) throws {
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }
}
