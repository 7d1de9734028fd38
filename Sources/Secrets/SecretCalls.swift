import Conduit

// The calls about stored passwords. Their numbers, 112 to 115, are among those of the daemon and of providers'
// connections.

/// Adds an item. Replies with the item, without its password.
package struct AddSecretCall: Call {
    package typealias Reply = SecretItem
    package static var method: UInt64 { 112 }

    package let itemClass: SecretClass
    /// Without a group, the item gets the first one of the caller.
    package let attributes: SecretAttributes
    package let value: SecretBytes?

    package init(itemClass: SecretClass, attributes: SecretAttributes, value: SecretBytes?) {
        self.itemClass = itemClass
        self.attributes = attributes
        self.value = value
    }

    package init(from decoder: inout MessageDecoder) throws(MessageError) {
        let itemClass: SecretClass = try decoder.decode(forKey: 0)
        self.itemClass = itemClass
        attributes = try decoder.decodeAttributes(of: itemClass, forKey: 1)
        value = try decoder.decodeSecret(forKey: 2)
    }

    package func encode(to encoder: inout MessageEncoder) {
        encoder.encode(itemClass, forKey: 0)
        encoder.encode(attributes, forKey: 1)
        encoder.encodeIfPresent(value, forKey: 2)
    }
}

/// Finds items in the order in which they were added. Fails with `notFound` if there is none.
package struct FindSecretsCall: Call {
    package static var method: UInt64 { 113 }

    package let search: SecretSearch
    /// The maximum number of items; `nil` for all.
    package let limit: Int?
    /// Whether the reply has the passwords.
    package let wantsValues: Bool

    package init(search: SecretSearch, limit: Int?, wantsValues: Bool) {
        self.search = search
        self.limit = limit
        self.wantsValues = wantsValues
    }

    package init(from decoder: inout MessageDecoder) throws(MessageError) {
        search = try decoder.decode(forKey: 0)
        limit = try decoder.decodeIfPresent(forKey: 1)
        wantsValues = try decoder.decode(forKey: 2)
        if let limit, limit < 1 { throw .invalid("a search is for at least one item") }
    }

    package func encode(to encoder: inout MessageEncoder) {
        encoder.encode(search, forKey: 0)
        encoder.encodeIfPresent(limit, forKey: 1)
        encoder.encode(wantsValues, forKey: 2)
    }

    package struct Reply: Message {
        package let items: [SecretItem]

        package init(items: [SecretItem]) { self.items = items }

        package init(from decoder: inout MessageDecoder) throws(MessageError) {
            items = try decoder.decode(forKey: 0)
        }

        package func encode(to encoder: inout MessageEncoder) { encoder.encode(items, forKey: 0) }
    }
}

/// Changes attributes, the password, or both, of all items that a search finds. Fails with `notFound` if there is none.
/// After an error no item is changed.
package struct UpdateSecretsCall: Call {
    package typealias Reply = Empty
    package static var method: UInt64 { 114 }

    package let search: SecretSearch
    package let attributes: SecretAttributes
    /// The new password; `nil` keeps the old one.
    package let value: SecretBytes?

    package init(search: SecretSearch, attributes: SecretAttributes, value: SecretBytes?) {
        self.search = search
        self.attributes = attributes
        self.value = value
    }

    package init(from decoder: inout MessageDecoder) throws(MessageError) {
        let search: SecretSearch = try decoder.decode(forKey: 0)
        self.search = search
        attributes = try decoder.decodeAttributes(of: search.itemClass, forKey: 1)
        value = try decoder.decodeSecret(forKey: 2)
    }

    package func encode(to encoder: inout MessageEncoder) {
        encoder.encode(search, forKey: 0)
        encoder.encode(attributes, forKey: 1)
        encoder.encodeIfPresent(value, forKey: 2)
    }
}

/// Removes all items that a search finds. Fails with `notFound` if there is none.
package struct RemoveSecretsCall: Call {
    package typealias Reply = Empty
    package static var method: UInt64 { 115 }

    package let search: SecretSearch

    package init(search: SecretSearch) { self.search = search }

    package init(from decoder: inout MessageDecoder) throws(MessageError) {
        search = try decoder.decode(forKey: 0)
    }

    package func encode(to encoder: inout MessageEncoder) { encoder.encode(search, forKey: 0) }
}
