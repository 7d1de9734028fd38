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
}
