/// The access groups of one program. The program can access only the stored passwords of these groups. An app and its
/// extensions share the items of a group that all of them declare.
package struct AccessGroups: Sendable, Equatable {
    /// The property list key of the groups that a program shares with others, an array. The name is that of Apple's
    /// entitlement.
    package static let listKey = "keychain-access-groups"
    /// The maximum number of groups of a program. Further groups are ignored.
    package static let limit = 8

    /// The groups without duplicates. A new item belongs to the first group if its program names no group.
    package let names: [String]

    /// Creates the groups of a program from trusted names.
    package init(_ names: [String]) {
        var valid: [String] = []
        for name in names where Self.isName(name) && !valid.contains(name) && valid.count < Self.limit {
            valid.append(name)
        }
        self.names = valid
    }

    /// Creates the groups of a program from its property list, in Apple's order: the groups that it declares, its own
    /// group, its app groups.
    ///
    /// - Parameters:
    ///   - list: the property list. A value that is not an array of names counts as no group.
    ///   - identifier: the identifier of the program's bundle, which names its own group.
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
