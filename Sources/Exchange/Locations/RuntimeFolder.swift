import Glibc
import LinuxSystem

/// The directory for the sockets of a user's session, per the XDG base directory specification, and its fallbacks.
package enum RuntimeFolder {
    /// Chooses the directory of Purvey's sockets.
    ///
    /// All programs without a valid `XDG_RUNTIME_DIR` choose the same directory, so that they can connect.
    ///
    /// - Parameters:
    ///   - named: The value of `XDG_RUNTIME_DIR`.
    ///   - fault: Like ``fault(of:)``.
    /// - Returns: The directory, and a sentence with the reason if it is not `named`.
    static func choose(
        _ named: String?, user: uid_t, fault: (String) -> String?
    ) -> (folder: String, warning: String?) {
        let named = named.flatMap { $0.isEmpty ? nil : $0 }
        let reason = named.flatMap { $0.hasPrefix("/") ? fault($0) : "which is no absolute path" }
        if let named, reason == nil {
            return ((named.count > 1 && named.hasSuffix("/") ? String(named.dropLast()) : named) + "/purvey", nil)
        }
        let systems = "/run/user/\(user)"
        let folder = fault(systems) == nil ? systems + "/purvey" : "/tmp/purvey-\(user)"
        guard let named, let reason else { return (folder, nil) }
        return (folder, "XDG_RUNTIME_DIR is '\(named)', \(reason): \(folder) is used instead")
    }

    /// Returns the reason why a directory cannot be the runtime directory of this user, in words that follow the
    /// directory's name; `nil` if the directory is suitable.
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
        if status.kind != .directory { return "which is no folder" }
        if status.owner != getuid() { return "which belongs to another user" }
        if status.permissions & 0o022 != 0 { return "which others may write to" }
        if access(path, W_OK | X_OK) != 0 { return "which cannot be written to (\(Errno.current))" }
        return nil
    }
}
