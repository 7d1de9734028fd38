import FileProvider

/// Where an item was sent to be made. The answer may be lost, and the item be renamed here before it is sent again: then it is looked
/// for where it was sent first, so that it does not come to be there twice.
package struct SentPlace: Hashable, Sendable {
    /// The folder's identifier.
    package var parent: String
    package var name: String

    package init(parent: String, name: String) {
        self.parent = parent
        self.name = name
    }

    package static func == (one: SentPlace, other: SentPlace) -> Bool {
        one.parent.hasSameBytes(as: other.parent) && one.name.hasSameBytes(as: other.name)
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(Array(parent.utf8))
        hasher.combine(Array(name.utf8))
    }
}
