import Conduit

/// Puts an item into the trash.
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

/// Takes an item out of the trash.
package struct ProviderUntrashCall: ProviderCall {
    package typealias Value = ProviderItem
    package typealias Reply = ProviderReply<ProviderItem>
    package static var method: UInt64 { 22 }
    package let identifier: String
    /// The folder that it goes to; `nil` for the one that it was in.
    package let parent: String?
    /// The folder that it was in, as far as the engine knows.
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
