/// Any CBOR data item as a value (RFC 8949 §2), for tools and tests. Messages are coded without it.
package indirect enum CBORValue: Sendable {
    case unsigned(UInt64)
    /// The number -1 - n. Its range extends below that of `Int64`.
    case negative(UInt64)
    case bytes([UInt8])
    case text(String)
    case array([CBORValue])
    /// Pairs in the order of the input, duplicates included.
    case map([(key: CBORValue, value: CBORValue)])
    case tagged(UInt64, CBORValue)
    case bool(Bool)
    case null
    case undefined
    /// A simple value other than the four cases above.
    case simple(UInt8)
    case float(Double)
}

extension CBORValue: Equatable {
    /// Compares type and contents. Floats are compared by their bits, so that a NaN equals itself and 0 is not -0.
    package static func == (left: CBORValue, right: CBORValue) -> Bool {
        switch (left, right) {
        case (.unsigned(let a), .unsigned(let b)), (.negative(let a), .negative(let b)): a == b
        case (.bytes(let a), .bytes(let b)): a == b
        case (.text(let a), .text(let b)): a.utf8.elementsEqual(b.utf8)
        case (.array(let a), .array(let b)): a == b
        case (.map(let a), .map(let b)): a.elementsEqual(b) { $0.key == $1.key && $0.value == $1.value }
        case (.tagged(let a, let x), .tagged(let b, let y)): a == b && x == y
        case (.bool(let a), .bool(let b)): a == b
        case (.null, .null), (.undefined, .undefined): true
        case (.simple(let a), .simple(let b)): a == b
        case (.float(let a), .float(let b)): a.bitPattern == b.bitPattern || (a.isNaN && b.isNaN)
        default: false
        }
    }
}
