import Glibc
import LinuxSystem

/// Chooses the directory for the sockets of a user's session, according to the XDG base directory specification, or a
/// fallback.
package enum RuntimeFolder {
    /// Chooses the directory of Purvey's sockets.
    ///
    /// All programs without a valid `XDG_RUNTIME_DIR` choose the same directory, so that they can connect.
    ///
    /// - Parameters:
    ///   - named: The value of `XDG_RUNTIME_DIR`.
    ///   - fault: Returns the reason why a directory is unsuitable, as ``fault(of:)`` does.
    /// - Returns: The directory; and a sentence with the reason if `named` is set but not used.
    static func choose(
        _ named: String?, user: uid_t, fault: (String) -> String?
    ) -> (folder: String, warning: String?) {
        let named = named.flatMap { $0.isEmpty ? nil : $0 }
        let reason = named.flatMap { $0.hasPrefix("/") ? fault($0) : "which is not an absolute path" }
        if let named, reason == nil {
            return ((named.count > 1 && named.hasSuffix("/") ? String(named.dropLast()) : named) + "/purvey", nil)
        }
        let systems = "/run/user/\(user)"
        let folder = fault(systems) == nil ? systems + "/purvey" : "/tmp/purvey-\(user)"
        guard let named, let reason else { return (folder, nil) }
        return (folder, "XDG_RUNTIME_DIR is '\(named)', \(reason): \(folder) is used instead")
    }

    /// Returns the reason why the directory at the given path cannot be the runtime directory of this user; `nil` if it
    /// can be. The reason is a relative clause, to be written after the directory's name.
    ///
    /// In a directory that others may write to, another user could replace Purvey's directory.
    package static func fault(of path: String) -> String? {
        let status: FileStatus
        do throws(Errno) {
            status = try FileStatus.of(path)
        } catch .noSuchFile {
            return "which does not exist"
        } catch {
            return "which cannot be looked at (\(error))"
        }
        if status.kind != .directory { return "which is not a folder" }
        if status.owner != getuid() { return "which belongs to another user" }
        if status.permissions & 0o022 != 0 { return "which others may write to" }
        if access(path, W_OK | X_OK) != 0 { return "which cannot be written to (\(Errno.current))" }
        return nil
    }
}

/// Creates directories that only their owner may access.
package enum PrivateFolder {
    /// Creates a directory and its parents if they are missing, with mode 0700.
    ///
    /// - Throws: `EPERM` if the directory exists but belongs to another user, and `ENOTDIR` if it is a symbolic link.
    ///   In a directory such as `/tmp`, another user may have created it first.
    package static func make(_ path: String) throws(Errno) {
        try makeAll(path)
        let status = try FileStatus.of(path, followingLinks: false)
        guard status.kind == .directory else { throw .notDirectory }
        guard status.owner == geteuid() else { throw .notPermitted }
        if status.permissions & 0o077 != 0 {
            try retrying { chmod(path, 0o700) }
        }
    }

    /// Creates a directory and its parents if they are missing, with mode 0700. The modes of existing directories stay
    /// unchanged.
    static func makeAll(_ path: String) throws(Errno) {
        // `mkdir` can fail for a parent that exists. Therefore only a failure for the last directory is an error. If a
        // parent is missing, its error is thrown, because it is the cause.
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
