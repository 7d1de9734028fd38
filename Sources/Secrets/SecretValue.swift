import Conduit

/// The value of an attribute.
package enum SecretValue: Sendable {
    case text(String)
    case bytes([UInt8])
    case number(Int64)
    case flag(Bool)

    /// The approximate size in memory and on disk.
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

extension SecretValue: Message {
    package init(from decoder: inout MessageDecoder) throws(MessageError) {
        if let text: String = try decoder.decodeIfPresent(forKey: 0) {
            self = .text(text)
        } else if let bytes: ByteString = try decoder.decodeIfPresent(forKey: 1) {
            self = .bytes(bytes.bytes)
        } else if let number: Int64 = try decoder.decodeIfPresent(forKey: 2) {
            self = .number(number)
        } else {
            self = .flag(try decoder.decode(forKey: 3))
        }
    }

    package func encode(to encoder: inout MessageEncoder) {
        switch self {
        case .text(let text): encoder.encode(text, forKey: 0)
        case .bytes(let bytes): encoder.encode(ByteString(bytes), forKey: 1)
        case .number(let number): encoder.encode(number, forKey: 2)
        case .flag(let flag): encoder.encode(flag, forKey: 3)
        }
    }
}
