import Conduit

/// A request to move an item into the trash.
package struct ProviderTrashCall: ProviderCall {
    package typealias Value = ProviderItem
    package typealias Reply = ProviderReply<ProviderItem>
    package static var method: UInt64 { 21 }
    package let identifier: String

    package init(identifier: String) { self.identifier = identifier }

    package init(from decoder: inout MessageDecoder) throws(MessageError) {
        identifier = try decoder.decode(forKey: 0)
    }

    package func encode(to encoder: inout MessageEncoder) { encoder.encode(identifier, forKey: 0) }
}

/// A request to move an item out of the trash.
package struct ProviderUntrashCall: ProviderCall {
    package typealias Value = ProviderItem
    package typealias Reply = ProviderReply<ProviderItem>
    package static var method: UInt64 { 22 }
    package let identifier: String
    /// The identifier of the new parent; `nil` for the former one.
    package let parent: String?
    /// The identifier of the former parent, if the engine knows it.
    package let former: String?

    package init(identifier: String, parent: String?, former: String? = nil) {
        self.identifier = identifier
        self.parent = parent
        self.former = former
    }

    package init(from decoder: inout MessageDecoder) throws(MessageError) {
        identifier = try decoder.decode(forKey: 0)
        parent = try decoder.decodeIfPresent(forKey: 1)
        former = try decoder.decodeIfPresent(forKey: 2)
    }

    package func encode(to encoder: inout MessageEncoder) {
        encoder.encode(identifier, forKey: 0)
        encoder.encodeIfPresent(parent, forKey: 1)
        encoder.encodeIfPresent(former, forKey: 2)
    }
}
