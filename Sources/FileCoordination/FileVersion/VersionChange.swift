import Conduit

/// A change of an item's versions, as sent to presenters.
package struct VersionChange: Message, Hashable {
    package enum Kind: UInt64, MessageValue {
        case gained = 0
        case lost = 1
        case resolved = 2
    }

    package let kind: Kind
    package let record: VersionRecord

    package init(_ kind: Kind, _ record: VersionRecord) {
        self.kind = kind
        self.record = record
    }

    package init(from decoder: inout MessageDecoder) throws(MessageError) {
        kind = try decoder.decode(forKey: 0)
        record = try decoder.decode(forKey: 1)
    }

    package func encode(to encoder: inout MessageEncoder) {
        encoder.encode(kind, forKey: 0)
        encoder.encode(record, forKey: 1)
    }
}
