import Conduit

/// A request to move an item into its provider's trash. The reply comes when the local journal has it; the upload
/// follows.
package struct TrashItemCall: Call {
    package typealias Reply = Empty
    package static var method: UInt64 { DomainMethod.trash }
    package let place: ItemPlace

    package init(place: ItemPlace) { self.place = place }

    package init(from decoder: inout MessageDecoder) throws(MessageError) { place = try decoder.decode(forKey: 0) }

    package func encode(to encoder: inout MessageEncoder) { encoder.encode(place, forKey: 0) }
}

/// A request for the items in the trash of all domains, as far as they are known locally. No provider is asked.
package struct TrashedItemsCall: Call {
    package static var method: UInt64 { DomainMethod.trashed }

    package init() {}
    package init(from decoder: inout MessageDecoder) throws(MessageError) {}
    package func encode(to encoder: inout MessageEncoder) {}

    package struct Reply: Message {
        package let items: [TrashedItem]

        package init(items: [TrashedItem]) { self.items = items }

        package init(from decoder: inout MessageDecoder) throws(MessageError) {
            items = try decoder.decode(forKey: 0)
        }

        package func encode(to encoder: inout MessageEncoder) { encoder.encode(items, forKey: 0) }
    }
}

/// An item in the trash of a domain.
package struct TrashedItem: Message, Equatable {
    /// The domain's name.
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

    package init(from decoder: inout MessageDecoder) throws(MessageError) {
        domain = try decoder.decode(forKey: 0)
        identifier = try decoder.decode(forKey: 1)
        name = try decoder.decode(forKey: 2)
        kind = try decoder.decode(forKey: 3)
    }

    package func encode(to encoder: inout MessageEncoder) {
        encoder.encode(domain, forKey: 0)
        encoder.encode(identifier, forKey: 1)
        encoder.encode(name, forKey: 2)
        encoder.encode(kind, forKey: 3)
    }
}

/// A request to move an item out of the trash, to its former place. The reply comes when the provider has done so.
package struct UntrashItemCall: Call {
    package typealias Reply = Empty
    package static var method: UInt64 { DomainMethod.untrash }
    /// The domain's name.
    package let domain: String
    /// The item's name in the trash, or its identifier.
    package let item: String

    package init(domain: String, item: String) {
        self.domain = domain
        self.item = item
    }

    package init(from decoder: inout MessageDecoder) throws(MessageError) {
        domain = try decoder.decode(forKey: 0)
        item = try decoder.decode(forKey: 1)
    }

    package func encode(to encoder: inout MessageEncoder) {
        encoder.encode(domain, forKey: 0)
        encoder.encode(item, forKey: 1)
    }
}

/// A request to delete the items in a domain's trash, as far as they are known locally, or one of them. The reply
/// comes when the provider has done so; progress counts items.
package struct EmptyTrashCall: Call {
    package typealias Reply = Empty
    package static var method: UInt64 { DomainMethod.emptyTrash }
    /// The domain's name.
    package let domain: String
    /// The item's name in the trash, or its identifier; `nil` for all items.
    package let item: String?

    package init(domain: String, item: String?) {
        self.domain = domain
        self.item = item
    }

    package init(from decoder: inout MessageDecoder) throws(MessageError) {
        domain = try decoder.decode(forKey: 0)
        item = try decoder.decodeIfPresent(forKey: 1)
    }

    package func encode(to encoder: inout MessageEncoder) {
        encoder.encode(domain, forKey: 0)
        encoder.encodeIfPresent(item, forKey: 1)
    }
}
