import Foundation

/// App groups. A group is a set of programs, such as an app and its extensions, that share a directory and user
/// defaults.
///
/// A program belongs to the groups that its property list declares. On Apple's systems, the declaration is an
/// entitlement, which a code signature protects. On Linux, a confined process can only access the directories of the
/// groups in its own list.
package enum AppGroup {
    /// The key of the array of groups in a program's property list. Apple's entitlement has the same name.
    package static let listKey = "com.apple.security.application-groups"
    /// Apple's key in `NSExtension` for the group in which a file provider stores its documents.
    package static let documentKey = "NSExtensionFileProviderDocumentGroup"
    /// The environment variable that gives a confined process the path of the directory that contains the groups'
    /// directories.
    package static let environmentKey = "PURVEY_GROUPS"

    /// Whether the given text is a valid name for a group and for the group's directory.
    package static func isIdentifier(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= 200 && !text.hasPrefix(".")
            && text.unicodeScalars.allSatisfy {
                $0.isASCII && ($0.properties.isAlphabetic || "0123456789.-_".unicodeScalars.contains($0))
            }
    }

    /// Returns the groups that a program's property list declares, without duplicates. If the value is not an array of
    /// names, the program has no group.
    package static func declared(in list: [String: Any]) -> [String] {
        let described = list["NSExtension"] as? [String: Any]
        let names = (list[listKey] as? [String] ?? []) + [described?[documentKey] as? String].compactMap { $0 }
        var groups: [String] = []
        for name in names where isIdentifier(name) && !groups.contains(name) { groups.append(name) }
        return groups
    }

    /// Returns the directory that contains the directories of all groups.
    ///
    /// - Parameter data: The directory of Purvey's data for this user.
    package static func folder(data: String) -> String { data + "/groups" }

    /// Returns the path of the given group's directory, which may not exist yet. Returns `nil` if this process is not
    /// in the group, or if `PURVEY_HOME` is set to a relative path. In the second case, the default directory is not
    /// used instead, because a user who sets this variable does not want it.
    static func folder(of group: String) -> String? {
        guard isIdentifier(group), mayUse(group) else { return nil }
        if let confined = ProcessInfo.processInfo.environment[environmentKey] { return confined + "/" + group }
        return DataFolder.path.map { folder(data: $0) + "/" + group }
    }

    /// Whether this process may use the given group. A program without a bundle cannot declare groups, and is limited
    /// only by its user's permissions. Such a program may use any group, as on macOS.
    private static func mayUse(_ group: String) -> Bool {
        let list = Bundle.main.infoDictionary ?? [:]
        return declared(in: list).contains(group) || !hasBundle(list)
    }

    private static func hasBundle(_ list: [String: Any]) -> Bool { list["CFBundleIdentifier"] is String }

    /// Whether the user defaults suite with the given name belongs to a group of this process.
    package static func isSuite(_ name: String) -> Bool {
        let list = Bundle.main.infoDictionary ?? [:]
        if declared(in: list).contains(name) { return true }
        // Without a property list the name decides: Apple's group names begin with `group.`.
        return !hasBundle(list) && name.hasPrefix("group.") && isIdentifier(name)
    }
}

extension FileManager {
    /// Returns the directory that the programs of the given group share: `groups/IDENTIFIER` in Purvey's data
    /// directory. Creates the directory if necessary.
    ///
    /// - Returns: `nil` if the program's property list does not declare the group, if the identifier is not a plain
    ///   name, if the directory cannot be created, or if `PURVEY_HOME` is set to a relative path.
    public func containerURL(forSecurityApplicationGroupIdentifier groupIdentifier: String) -> URL? {
        guard let folder = AppGroup.folder(of: groupIdentifier) else { return nil }
        let url = URL(fileURLWithPath: folder, isDirectory: true)
        let made: Void? = try? createDirectory(
            at: url, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        return made.map { url }
    }
}
