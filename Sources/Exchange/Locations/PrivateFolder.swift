import Glibc
import LinuxSystem

/// Directories that only their owner may access.
package enum PrivateFolder {
    /// Creates a directory and its parents if they are missing, with mode 0700.
    ///
    /// - Throws: `EPERM` if the directory exists but belongs to another user or is a symbolic link: in a directory
    ///   such as `/tmp` another user may have created it first.
    package static func make(_ path: String) throws(Errno) {
        try makeAll(path)
        let status = try FileStatus.of(path, followingLinks: false)
        guard status.kind == .directory else { throw .notDirectory }
        guard status.owner == geteuid() else { throw .notPermitted }
        if status.permissions & 0o077 != 0 {
            try retrying { chmod(path, 0o700) }
        }
    }

    /// Creates a directory and its parents if they are missing, with mode 0700. Existing directories stay unchanged.
    static func makeAll(_ path: String) throws(Errno) {
        // A parent that cannot be created may exist nevertheless; only the last directory matters.
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
