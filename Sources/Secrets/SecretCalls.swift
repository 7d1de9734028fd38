import Conduit

// The calls about stored passwords. Both clients of the daemon and providers' processes make them. Therefore their
// numbers, 112 to 115, must be used by no other call of either.

/// Adds an item. The reply contains the item without its password.
package struct AddSecretCall: Call, SchemaMessage {
    package typealias Reply = SecretItem
    package static var method: UInt64 { 112 }

    package let itemClass: SecretClass
    /// The attributes of the item. If they name no access group, the item is added to the caller's first group.
    package let attributes: SecretAttributes
    package let value: SecretBytes?

    package init(itemClass: SecretClass, attributes: SecretAttributes, value: SecretBytes?) {
        self.itemClass = itemClass
        self.attributes = attributes
        self.value = value
    }

    package static let schema = Schema(
        Self.init, Field(0, \.itemClass), Field(1, attributes: \.attributes), Field(2, \.value)
    ).checked { call throws(MessageError) in try call.attributes.check(for: call.itemClass) }
}

/// Searches for items. The reply contains them in the order in which they were added. The call fails with `notFound` if
/// no item is found.
package struct FindSecretsCall: Call, SchemaMessage {
    package static var method: UInt64 { 113 }

    package let search: SecretSearch
    /// The maximum number of items in the reply; `nil` for all items.
    package let limit: Int?
    /// Whether the reply contains the items' passwords.
    package let wantsValues: Bool

    package init(search: SecretSearch, limit: Int?, wantsValues: Bool) {
        self.search = search
        self.limit = limit
        self.wantsValues = wantsValues
    }

    package static let schema = Schema(
        Self.init, Field(0, \.search), Field(1, \.limit), Field(2, \.wantsValues)
    ).checked { call throws(MessageError) in
        if let limit = call.limit, limit < 1 { throw .invalid("a search is for at least one item") }
    }

    package struct Reply: SchemaMessage {
        package let items: [SecretItem]

        package init(items: [SecretItem]) { self.items = items }

        package static let schema = Schema(Self.init, Field(0, \.items))
    }
}

/// Changes attributes, the password, or both, of all items that a search finds. The call fails with `notFound` if no
/// item is found. If the call fails, no item is changed.
package struct UpdateSecretsCall: Call, SchemaMessage {
    package typealias Reply = Empty
    package static var method: UInt64 { 114 }

    package let search: SecretSearch
    package let attributes: SecretAttributes
    /// The new password of the items; `nil` to leave their passwords unchanged.
    package let value: SecretBytes?

    package init(search: SecretSearch, attributes: SecretAttributes, value: SecretBytes?) {
        self.search = search
        self.attributes = attributes
        self.value = value
    }

    package static let schema = Schema(
        Self.init, Field(0, \.search), Field(1, attributes: \.attributes), Field(2, \.value)
    ).checked { call throws(MessageError) in try call.attributes.check(for: call.search.itemClass) }
}

/// Removes all items that a search finds. The call fails with `notFound` if no item is found.
package struct RemoveSecretsCall: Call, SchemaMessage {
    package typealias Reply = Empty
    package static var method: UInt64 { 115 }

    package let search: SecretSearch

    package init(search: SecretSearch) { self.search = search }

    package static let schema = Schema(Self.init, Field(0, \.search))
}
