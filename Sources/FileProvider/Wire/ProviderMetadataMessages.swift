import Conduit
import ItemValues

/// A new value of an item's user metadata, or of its attributes.
package enum UserMetadataChange: Sendable, Equatable {
    /// The date of last use, in seconds since 1970.
    case lastUsed(Double?)
    case tagData([UInt8]?)
    case favoriteRank(UInt64?)
    case attributes(ItemAttributes)
}

/// A request to set one kind of an item's user metadata, or its attributes.
package struct ProviderMetadataCall: ProviderCall {
    package typealias Value = ProviderItem
    package typealias Reply = ProviderReply<ProviderItem>
    package static var method: UInt64 { 20 }
    package let identifier: String
    package let metadataChange: UserMetadataChange

    private enum Kind {
        static let lastUsed: UInt8 = 0
        static let tagData: UInt8 = 1
        static let favoriteRank: UInt8 = 2
        static let attributes: UInt8 = 3
    }

    package init(identifier: String, metadataChange: UserMetadataChange) {
        self.identifier = identifier
        self.metadataChange = metadataChange
    }

    package init(from decoder: inout MessageDecoder) throws(MessageError) {
        identifier = try decoder.decode(forKey: 0)
        let kind: UInt8 = try decoder.decode(forKey: 1)
        switch kind {
        case Kind.lastUsed: metadataChange = .lastUsed(try decoder.decodeIfPresent(forKey: 2))
        case Kind.tagData:
            let data: ByteString? = try decoder.decodeIfPresent(forKey: 2)
            metadataChange = .tagData(data?.bytes)
        case Kind.favoriteRank: metadataChange = .favoriteRank(try decoder.decodeIfPresent(forKey: 2))
        case Kind.attributes: metadataChange = .attributes(try decoder.decode(forKey: 2))
        default: throw .invalid("unknown fact: \(kind)")
        }
    }

    package func encode(to encoder: inout MessageEncoder) {
        encoder.encode(identifier, forKey: 0)
        switch metadataChange {
        case .lastUsed(let time):
            encoder.encode(Kind.lastUsed, forKey: 1)
            encoder.encodeIfPresent(time, forKey: 2)
        case .tagData(let data):
            encoder.encode(Kind.tagData, forKey: 1)
            encoder.encodeIfPresent(data.map { ByteString($0) }, forKey: 2)
        case .favoriteRank(let rank):
            encoder.encode(Kind.favoriteRank, forKey: 1)
            encoder.encodeIfPresent(rank, forKey: 2)
        case .attributes(let attributes):
            encoder.encode(Kind.attributes, forKey: 1)
            encoder.encode(attributes, forKey: 2)
        }
    }
}
