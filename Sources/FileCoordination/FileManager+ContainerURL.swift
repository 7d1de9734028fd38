import Foundation

extension FileManager {
    /// Returns the directory that the programs of a group share: `groups/IDENTIFIER` in Purvey's data directory. It
    /// is created if necessary.
    ///
    /// - Returns: `nil` for a group that the program's property list does not declare, for an identifier that is no
    ///   plain name, if the directory cannot be created, and if `PURVEY_HOME` is not an absolute path: a user who
    ///   sets it does not want the default directories.
    public func containerURL(forSecurityApplicationGroupIdentifier groupIdentifier: String) -> URL? {
        guard let folder = AppGroup.folder(of: groupIdentifier) else { return nil }
        let url = URL(fileURLWithPath: folder, isDirectory: true)
        let made: Void? = try? createDirectory(
            at: url, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        return made.map { url }
    }
}
