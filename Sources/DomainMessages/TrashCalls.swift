import Conduit
import ItemValues

/// A request to move an item to its provider's trash. The reply comes when the move was recorded in the local journal.
/// The move is sent to the provider later.
package struct TrashItemCall: Call, SchemaMessage {
    package typealias Reply = Empty
    package static var method: UInt64 { DomainMethod.trash }
    package let place: ItemPlace

    package init(place: ItemPlace) { self.place = place }

    package static let schema = Schema(Self.init, Field(0, \.place))
}

/// A request for the items in the trash of all domains, as far as they are known locally. The daemon sends no request
/// to a provider.
package struct TrashedItemsCall: Call, SchemaMessage {
    package static var method: UInt64 { DomainMethod.trashed }

    package init() {}
    package static let schema = Schema(Self.init)

    package struct Reply: SchemaMessage {
        package let items: [TrashedItem]

        package init(items: [TrashedItem]) { self.items = items }

        package static let schema = Schema(Self.init, Field(0, \.items))
    }
}

/// An item in the trash of a domain.
package struct TrashedItem: SchemaMessage, Equatable {
    /// The name of the item's domain.
    package let domain: String
    package let identifier: String
    package let name: String
    package let kind: ProviderItem.Kind

    package init(domain: String, identifier: String, name: String, kind: ProviderItem.Kind) {
        self.domain = domain
        self.identifier = identifier
        self.name = name
        self.kind = kind
    }

    package static let schema = Schema(
        Self.init, Field(0, \.domain), Field(1, \.identifier), Field(2, \.name), Field(3, \.kind))
}

/// A request to move an item out of the trash, to the directory that contained it before. The reply comes when the
/// provider has moved the item.
package struct UntrashItemCall: Call, SchemaMessage {
    package typealias Reply = Empty
    package static var method: UInt64 { DomainMethod.untrash }
    /// The name of the domain.
    package let domain: String
    /// The item's name in the trash, or the item's identifier.
    package let item: String

    package init(domain: String, item: String) {
        self.domain = domain
        self.item = item
    }

    package static let schema = Schema(Self.init, Field(0, \.domain), Field(1, \.item))
}

/// A request to delete one item that is in a domain's trash, or all items that are known to be in it. The reply comes
/// when the provider has deleted them. The daemon reports the number of deleted items as progress.
package struct EmptyTrashCall: Call, SchemaMessage {
    package typealias Reply = Empty
    package static var method: UInt64 { DomainMethod.emptyTrash }
    /// The name of the domain.
    package let domain: String
    /// The item's name in the trash, or the item's identifier; `nil` for all items.
    package let item: String?

    package init(domain: String, item: String?) {
        self.domain = domain
        self.item = item
    }

    package static let schema = Schema(Self.init, Field(0, \.domain), Field(1, \.item))
}
