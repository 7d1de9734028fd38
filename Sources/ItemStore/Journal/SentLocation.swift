import ItemValues

/// The place that a new item was sent to. The reply may be lost, and the item renamed locally before it is sent again.
/// It is then looked for in this place, so that it is not created twice.
package struct SentLocation: Hashable, Sendable {
    /// The directory's identifier.
    package var parent: String
    package var name: String

    package init(parent: String, name: String) {
        self.parent = parent
        self.name = name
    }

    package static func == (one: SentLocation, other: SentLocation) -> Bool {
        one.parent.hasSameBytes(as: other.parent) && one.name.hasSameBytes(as: other.name)
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(Array(parent.utf8))
        hasher.combine(Array(name.utf8))
    }
}
