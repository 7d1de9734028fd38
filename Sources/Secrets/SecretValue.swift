import Conduit

/// The value of an attribute.
package enum SecretValue: Sendable {
    case text(String)
    case bytes([UInt8])
    case number(Int64)
    case flag(Bool)

    /// The approximate size of the value in bytes, in memory and on disk.
    package var byteCount: Int {
        switch self {
        case .text(let text): text.utf8.count
        case .bytes(let bytes): bytes.count
        case .number, .flag: 8
        }
    }
}

extension SecretValue: Equatable {
    /// Whether two values have the same type and bytes. Strings in different normal forms are different.
    package static func == (left: SecretValue, right: SecretValue) -> Bool {
        switch (left, right) {
        case (.text(let left), .text(let right)): left.utf8.elementsEqual(right.utf8)
        case (.bytes(let left), .bytes(let right)): left == right
        case (.number(let left), .number(let right)): left == right
        case (.flag(let left), .flag(let right)): left == right
        default: false
        }
    }
}

extension SecretValue: SchemaMessage {
    package static let schema = Schema<SecretValue>(tag: nil) {
        Case(0, Self.text, Field(0, \.self)) { if case .text(let text) = $0 { text } else { nil } }
        Case(1, Self.bytes, Field(1, bytes: \.self)) { if case .bytes(let bytes) = $0 { bytes } else { nil } }
        Case(2, Self.number, Field(2, \.self)) { if case .number(let number) = $0 { number } else { nil } }
        Case(3, Self.flag, Field(3, \.self)) { if case .flag(let flag) = $0 { flag } else { nil } }
    }
}
