import Foundation

/// The groups of programs that share a folder and values: a program and its extensions.
///
/// A program is of the groups that its property list declares. On Apple's systems that is an entitlement, which a signature vouches
/// for; a confined process here reaches the folders of the groups that its own list declares, and no others.
package enum AppGroup {
    /// In a property list: the groups of the program, an array. The name is that of Apple's entitlement.
    package static let listKey = "com.apple.security.application-groups"
    /// In `NSExtension`, Apple's: the group that a file provider keeps its documents in.
    package static let documentKey = "NSExtensionFileProviderDocumentGroup"
    /// In the environment of a confined process: the folder that the groups' folders are in.
    package static let environmentKey = "PURVEY_GROUPS"

    /// Whether a text can name a group: it becomes a folder's name.
    package static func isIdentifier(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= 200 && !text.hasPrefix(".")
            && text.unicodeScalars.allSatisfy {
                $0.isASCII && ($0.properties.isAlphabetic || "0123456789.-_".unicodeScalars.contains($0))
            }
    }

    /// The groups that a program's property list declares, each once; others than an array of names count as none.
    package static func declared(in list: [String: Any]) -> [String] {
        let described = list["NSExtension"] as? [String: Any]
        let names = (list[listKey] as? [String] ?? []) + [described?[documentKey] as? String].compactMap { $0 }
        var groups: [String] = []
        for name in names where isIdentifier(name) && !groups.contains(name) { groups.append(name) }
        return groups
    }

    /// The folder of all groups' folders.
    ///
    /// - Parameter data: the folder of what Purvey keeps for this user.
    package static func folder(data: String) -> String { data + "/groups" }

    /// Returns the folder of a group in this process, made or not; `nil` if the process is not of that group, or if `PURVEY_HOME` is
    /// not an absolute path: a user who sets it does not want the usual folders.
    static func folder(of group: String) -> String? {
        guard isIdentifier(group), mayUse(group) else { return nil }
        if let confined = ProcessInfo.processInfo.environment[environmentKey] { return confined + "/" + group }
        return DataFolder.path.map { folder(data: $0) + "/" + group }
    }

    /// Whether this process is of a group. A program without a bundle has no list to declare it in, and the permissions of its user
    /// are all that confines it: it may, as on a Mac.
    private static func mayUse(_ group: String) -> Bool {
        let list = Bundle.main.infoDictionary ?? [:]
        return declared(in: list).contains(group) || !hasBundle(list)
    }

    private static func hasBundle(_ list: [String: Any]) -> Bool { list["CFBundleIdentifier"] is String }

    /// Whether a suite of values is that of a group of this process.
    static func isSuite(_ name: String) -> Bool {
        let list = Bundle.main.infoDictionary ?? [:]
        if declared(in: list).contains(name) { return true }
        // Without a list, the name tells: Apple has those of groups begin so.
        return !hasBundle(list) && name.hasPrefix("group.") && isIdentifier(name)
    }
}
