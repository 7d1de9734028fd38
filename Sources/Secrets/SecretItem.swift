import Conduit
import Foundation

/// A stored password with its attributes.
package struct SecretItem: Sendable {
    package let itemClass: SecretClass
    /// The attributes with a value. The access group is always one of them.
    package var attributes: SecretAttributes
    /// The identity of the item. It stays when the attributes change.
    package let reference: UUID
    /// The times of the creation and of the last change, in seconds since 1970.
    package let created: Double
    package var modified: Double
    /// The password; `nil` in a reply to a request that did not ask for it.
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

    /// The access group.
    package var group: String {
        if case .text(let group) = attributes[.group] { group } else { "" }
    }

    /// The sizes of the attributes' values together.
    package var attributeBytes: Int { attributes.values.reduce(0) { $0 + $1.byteCount } }

    /// An upper bound of the size of the encoded item.
    package var byteCount: Int { 128 + attributes.count * 32 + attributeBytes + (value?.count ?? 0) }
}

extension SecretItem: Message {
    package init(from decoder: inout MessageDecoder) throws(MessageError) {
        let itemClass: SecretClass = try decoder.decode(forKey: 0)
        self.itemClass = itemClass
        attributes = try decoder.decodeAttributes(of: itemClass, forKey: 1)
        reference = try decoder.decode(forKey: 2)
        created = try decoder.decode(forKey: 3)
        modified = try decoder.decode(forKey: 4)
        value = try decoder.decodeSecret(forKey: 5)
    }

    package func encode(to encoder: inout MessageEncoder) {
        encoder.encode(itemClass, forKey: 0)
        encoder.encode(attributes, forKey: 1)
        encoder.encode(reference, forKey: 2)
        encoder.encode(created, forKey: 3)
        encoder.encode(modified, forKey: 4)
        encoder.encodeIfPresent(value, forKey: 5)
    }
}

extension MessageEncoder {
    mutating func encodeIfPresent(_ secret: SecretBytes?, forKey key: UInt64) {
        secret?.withBytes { encode(bytes: $0, forKey: key) }
    }
}

extension MessageDecoder {
    /// Decodes a secret from its place in the message, without a copy in between.
    mutating func decodeSecret(forKey key: UInt64) throws(MessageError) -> SecretBytes? {
        guard try contains(key: key) else { return nil }
        return try decodeBytes(forKey: key) { SecretBytes(copying: $0) }
    }
}
