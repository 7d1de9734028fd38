import Conduit
import ItemValues

/// A new value of one kind of an item's user metadata, or new attributes of the item.
package enum UserMetadataChange: Sendable, Equatable {
    /// The date of the last use, in seconds since 1970; `nil` to remove the date.
    case lastUsed(Double?)
    case tagData([UInt8]?)
    case favoriteRank(UInt64?)
    case attributes(ItemAttributes)
}

/// A request to set one kind of an item's user metadata, or the item's attributes.
package struct ProviderMetadataCall: ProviderCall, SchemaMessage {
    package typealias Value = ProviderItem
    package typealias Reply = ProviderReply<ProviderItem>
    package static var method: UInt64 { 20 }
    package let identifier: String
    package let metadataChange: UserMetadataChange

    package init(identifier: String, metadataChange: UserMetadataChange) {
        self.identifier = identifier
        self.metadataChange = metadataChange
    }

    package static let schema = Schema(
        Self.init, Field(0, \.identifier), Field(inline: UserMetadataChange.schema, \.metadataChange))
}

extension UserMetadataChange {
    /// The schema of the change in a ``ProviderMetadataCall``. It does not use key 0, which is the key of the item's
    /// identifier.
    fileprivate static let schema = Schema<UserMetadataChange>(tag: 1) {
        Case(0, Self.lastUsed, Field(2, \.self)) { if case .lastUsed(let time) = $0 { .some(time) } else { nil } }
        Case(1, Self.tagData, Field(2, bytes: \.self)) { if case .tagData(let data) = $0 { .some(data) } else { nil } }
        Case(2, Self.favoriteRank, Field(2, \.self)) {
            if case .favoriteRank(let rank) = $0 { .some(rank) } else { nil }
        }
        Case(3, Self.attributes, Field(2, \.self)) {
            if case .attributes(let attributes) = $0 { attributes } else { nil }
        }
    }
}
