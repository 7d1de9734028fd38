import Conduit
import Foundation

/// A stored password with its attributes.
package struct SecretItem: Sendable {
    package let itemClass: SecretClass
    /// The attributes that have a value. They always include the access group.
    package var attributes: SecretAttributes
    /// The identifier of the item, which stays the same when the attributes change.
    package let reference: UUID
    /// The creation date, in seconds since 1970. `modified` is the date of the last change.
    package let created: Double
    package var modified: Double
    /// The item's password; `nil` in a reply to a request that did not ask for passwords.
    package var value: SecretBytes?

    package init(
        itemClass: SecretClass, attributes: SecretAttributes, reference: UUID, created: Double, modified: Double,
        value: SecretBytes?
    ) {
        self.itemClass = itemClass
        self.attributes = attributes
        self.reference = reference
        self.created = created
        self.modified = modified
        self.value = value
    }

    /// The access group to which the item belongs.
    package var group: String {
        if case .text(let group) = attributes[.group] { group } else { "" }
    }

    /// The total size, in bytes, of the attributes' values.
    package var attributeBytes: Int { attributes.values.reduce(0) { $0 + $1.byteCount } }

    /// An upper bound of the size, in bytes, of the encoded item.
    package var byteCount: Int { 128 + attributes.count * 32 + attributeBytes + (value?.count ?? 0) }
}

extension SecretItem: SchemaMessage {
    package static let schema = Schema(
        {
            SecretItem(itemClass: $0, attributes: $1, reference: $2, created: $3, modified: $4, value: $5)
        },
        Field(0, \SecretItem.itemClass), Field(1, attributes: \.attributes), Field(2, \.reference),
        Field(3, \.created), Field(4, \.modified), Field(5, \.value)
    ).checked { item throws(MessageError) in try item.attributes.check(for: item.itemClass) }
}
