import Foundation

extension FileManager {
    /// The folder that the programs of a group share: `groups/IDENTIFIER` beneath what Purvey keeps for the user. It is made
    /// when it is asked for.
    ///
    /// - Returns: `nil` for an identifier that is no plain name, where the folder cannot be made, and where `PURVEY_HOME` is
    ///   not an absolute path: whoever sets it does not want the user's own folders.
    public func containerURL(forSecurityApplicationGroupIdentifier groupIdentifier: String) -> URL? {
        let isPlain =
            groupIdentifier.utf8.count <= 200 && !groupIdentifier.hasPrefix(".")
            && groupIdentifier.unicodeScalars.allSatisfy {
                $0.isASCII && ($0.properties.isAlphabetic || "0123456789.-_".unicodeScalars.contains($0))
            }
        guard isPlain, !groupIdentifier.isEmpty else { return nil }
        guard let data = DataFolder.path else { return nil }
        let url = URL(fileURLWithPath: "\(data)/groups/\(groupIdentifier)", isDirectory: true)
        let made: Void? = try? createDirectory(
            at: url, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        return made.map { url }
    }
}
