import Conduit
import ItemValues

extension ItemAttributes: Message {
    package init(from decoder: inout MessageDecoder) throws(MessageError) {
        modified = try decoder.decodeIfPresent(forKey: 0)
        permissions = try decoder.decodeIfPresent(UInt64.self, forKey: 1).map { UInt($0) }
        changed = try decoder.decode([NamedBytes].self, forKey: 2).byName
        removed = Set(try decoder.decode([String].self, forKey: 3))
    }

    package func encode(to encoder: inout MessageEncoder) {
        encoder.encodeIfPresent(modified, forKey: 0)
        encoder.encodeIfPresent(permissions.map { UInt64($0) }, forKey: 1)
        encoder.encode([NamedBytes](changed), forKey: 2)
        encoder.encode(removed.sorted(), forKey: 3)
    }
}

/// An extended attribute.
struct NamedBytes: SchemaMessage {
    let name: String
    let value: [UInt8]

    init(name: String, value: [UInt8]) {
        self.name = name
        self.value = value
    }

    static let schema = Schema(Self.init, Field(0, \.name), Field(1, bytes: \.value))
}

extension [NamedBytes] {
    init(_ values: [String: [UInt8]]) {
        self = values.sorted { $0.key < $1.key }.map { NamedBytes(name: $0.key, value: $0.value) }
    }

    /// The values by name. Of duplicate names, the first counts.
    var byName: [String: [UInt8]] {
        Dictionary(map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first })
    }
}
