/// The access groups of one program. The program can access only the stored passwords of these groups. An app and its
/// extensions share the items of a group that all of them declare.
package struct AccessGroups: Sendable, Equatable {
    /// The key, in a program's property list, of the array of access groups that the program shares with other
    /// programs. Apple's entitlement has the same name.
    package static let listKey = "keychain-access-groups"
    /// The maximum number of access groups of a program. Further groups are ignored.
    package static let limit = 8

    /// The names of the groups, without duplicates. If a program adds an item and names no group, the item belongs to
    /// the first group.
    package let names: [String]

    /// Creates the groups of a program from names that are trusted.
    package init(_ names: [String]) {
        var valid: [String] = []
        for name in names where Self.isName(name) && !valid.contains(name) && valid.count < Self.limit {
            valid.append(name)
        }
        self.names = valid
    }

    /// Creates the groups of a program from its property list. They are in Apple's order: first the groups that the
    /// program declares, then its own group, then its app groups.
    ///
    /// - Parameters:
    ///   - list: the property list. If the value for ``listKey`` is not an array of names, the program declares no
    ///     group.
    ///   - identifier: the identifier of the program's bundle. It is also the name of the program's own group.
    ///   - appGroups: the app groups that the property list declares.
    package init(declaredIn list: [String: Any], identifier: String, appGroups: [String] = []) {
        self.init((list[Self.listKey] as? [String] ?? []) + [identifier] + appGroups)
    }

    private static func isName(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= 200
            && text.unicodeScalars.allSatisfy {
                $0.isASCII && ($0.properties.isAlphabetic || "0123456789.-_".unicodeScalars.contains($0))
            }
    }
}
