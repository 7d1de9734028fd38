import Conduit
import ItemValues

extension ItemAttributes: SchemaMessage {
    package static let schema = Schema(
        {
            var attributes = ItemAttributes()
            attributes.modified = $0
            attributes.permissions = $1.map { UInt($0) }
            attributes.changed = $2.byName
            attributes.removed = Set($3)
            return attributes
        },
        Field(0, \ItemAttributes.modified), Field(1, { $0.permissions.map { UInt64($0) } }),
        Field(2, { [NamedBytes]($0.changed) }), Field(3, { $0.removed.sorted() }))
}

/// The name and the value of an extended attribute.
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

    /// The values by name. If a name occurs more than once, its first value is used.
    var byName: [String: [UInt8]] {
        Dictionary(map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first })
    }
}
