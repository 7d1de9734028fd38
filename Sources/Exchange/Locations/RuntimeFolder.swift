import Glibc
import LinuxSystem

/// The folder for the sockets of a user's session, as the base directory specification has it, and what takes its place.
package enum RuntimeFolder {
    /// Chooses the folder of Purvey's sockets.
    ///
    /// Programs that find no good `XDG_RUNTIME_DIR` all choose the same folder, so that they meet.
    ///
    /// - Parameters:
    ///   - named: the value of `XDG_RUNTIME_DIR`.
    ///   - fault: as ``fault(of:)``.
    /// - Returns: the folder, and a sentence where it is not the one that was named.
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

    /// Returns what keeps a folder from being the runtime folder of this user, in words that go on after its name; `nil`
    /// for nothing.
    ///
    /// In a folder that others may write to, another user can put a folder of their own in the place of Purvey's.
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
