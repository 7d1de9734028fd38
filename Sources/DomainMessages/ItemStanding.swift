import Conduit

/// The local knowledge of the item at a path. No provider is asked for it.
package struct ItemStanding: SchemaMessage, Equatable {
    /// The path of the request; in other messages the item's path in the mount of its domain, whether or not that is
    /// mounted.
    package let path: String
    /// The name of the item's domain; `nil` if the path is not in a domain.
    package let domain: String?
    /// The item; `nil` if it is not known: it does not exist, or its directory was never listed.
    package let item: ItemDescription?

    package init(path: String, domain: String?, item: ItemDescription?) {
        self.path = path
        self.domain = domain
        self.item = item
    }

    package static let schema = Schema(Self.init, Field(0, \.path), Field(1, \.domain), Field(2, \.item))
}
