import Glibc
import LinuxSystem

/// Folders that only their user may look into.
package enum PrivateFolder {
    /// Makes a folder and the ones above it where they are missing, mode 0700.
    ///
    /// - Throws: `EPERM` when the last folder exists but belongs to another user or is a symbolic link: in a folder
    ///   such as `/tmp` a stranger may have been there first.
    package static func make(_ path: String) throws(Errno) {
        try makeAll(path)
        let status = try FileStatus.of(path, followingLinks: false)
        guard status.kind == .directory else { throw .notDirectory }
        guard status.owner == geteuid() else { throw .notPermitted }
        if status.permissions & 0o077 != 0 {
            try retrying { chmod(path, 0o700) }
        }
    }

    /// Makes a folder and the ones above it where they are missing, mode 0700, and leaves what is there as it is.
    static func makeAll(_ path: String) throws(Errno) {
        // A folder above that may not be made may be there all the same: what counts is the last one.
        var first: Errno?
        var position = path.startIndex
        while position < path.endIndex {
            let next =
                path.utf8[path.utf8.index(after: position)...].firstIndex(of: UInt8(ascii: "/")) ?? path.endIndex
            if mkdir(String(path[..<next]), 0o700) != 0, Errno.current != .fileExists {
                let error = Errno.current
                if next == path.endIndex { throw error == .noSuchFile ? first ?? error : error }
                first = first ?? error
            }
            position = next
        }
    }
}
