import Foundation

extension FileManager {
    /// The folder that the programs of a group share: `groups/IDENTIFIER` beneath what Purvey keeps for the user. It is made
    /// when it is asked for.
    ///
    /// - Returns: `nil` for a group that the property list of the program does not declare, for an identifier that is no plain name,
    ///   where the folder cannot be made, and where `PURVEY_HOME` is not an absolute path: a user who sets it does not want the
    ///   usual folders.
    public func containerURL(forSecurityApplicationGroupIdentifier groupIdentifier: String) -> URL? {
        guard let folder = AppGroup.folder(of: groupIdentifier) else { return nil }
        let url = URL(fileURLWithPath: folder, isDirectory: true)
        let made: Void? = try? createDirectory(
            at: url, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        return made.map { url }
    }
}
