/// The failure of an item's upload, or of another change of it, in the form that is recorded with the item.
///
/// It is a plain value. The module that asks a provider defines the kinds.
package struct ItemFailure: Sendable, Equatable {
    /// The number of the kind, at most 127.
    package var kind: UInt8
    /// The domain and code of the provider's error; empty and 0 without such an error.
    package var domain: String
    package var code: Int
    /// One sentence for the user.
    package var message: String
    /// The identifier of the item that has the requested name, after a collision.
    package var collidingItem: String?
    /// The provider's suggestion for the user.
    package var suggestion: String?

    package init(
        kind: UInt8, domain: String, code: Int, message: String, collidingItem: String? = nil,
        suggestion: String? = nil
    ) {
        self.kind = kind
        self.domain = domain
        self.code = code
        self.message = message
        self.collidingItem = collidingItem
        self.suggestion = suggestion
    }
}
