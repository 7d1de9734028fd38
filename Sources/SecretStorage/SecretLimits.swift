/// The sizes and numbers that bound a store.
package struct SecretLimits: Sendable {
    /// The bytes of one password.
    package var value = 256 << 10
    /// The bytes of all attributes of one item.
    package var attributes = 16 << 10
    /// The items of one access group.
    package var itemsOfGroup = 1_000
    /// The bytes of the items of one access group. All groups of a caller together fit into one message.
    package var bytesOfGroup = 1 << 20
    /// The bytes of all items.
    package var bytes = 64 << 20

    package init() {}

    /// The items of all groups. A file with more is not one of this store.
    static let items = 1 << 20
}
