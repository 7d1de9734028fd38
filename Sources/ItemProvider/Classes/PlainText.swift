import Foundation
import UniformTypeIdentifiers

/// Conversion between text and data.
package enum PlainText {
    /// The plain text types, most specific first.
    static let readableTypes = [
        UTType.utf8PlainText, .utf16ExternalPlainText, .utf16PlainText, .plainText, .text,
    ].map(\.identifier)

    /// Decodes text in the encoding of its type. If the type does not determine the encoding, the byte order mark does.
    /// Without a byte order mark, the text is decoded as UTF-8, or as Latin-1 if it is not valid UTF-8.
    ///
    /// - Returns: `nil` for data that cannot be text of that type.
    package static func decode(_ data: Data, typeIdentifier: String) -> String? {
        let type = UTType(typeIdentifier)
        if let type, type.conforms(to: .utf16PlainText) || type.conforms(to: .utf16ExternalPlainText) {
            return utf16(data)
        }
        if let type, type.conforms(to: .utf8PlainText) { return utf8(data) }
        if data.starts(with: [0xFF, 0xFE]) || data.starts(with: [0xFE, 0xFF]) { return utf16(data) }
        return utf8(data) ?? String(data: data, encoding: .isoLatin1)
    }

    /// Encodes text in the encoding of its type: UTF-16 with a byte order mark for UTF-16 types, else UTF-8.
    package static func encode(_ text: String, typeIdentifier: String) -> Data {
        guard let type = UTType(typeIdentifier),
            type.conforms(to: .utf16PlainText) || type.conforms(to: .utf16ExternalPlainText)
        else { return Data(text.utf8) }
        return text.utf16.reduce(into: Data([0xFF, 0xFE])) { data, unit in
            data.append(UInt8(truncatingIfNeeded: unit))
            data.append(UInt8(unit >> 8))
        }
    }

    private static func utf8(_ data: Data) -> String? {
        let bytes = data.starts(with: [0xEF, 0xBB, 0xBF]) ? data.dropFirst(3) : data
        return String(data: bytes, encoding: .utf8)
    }

    /// Decodes UTF-16. Without a byte order mark, the byte order is little-endian, that of this machine, as
    /// `public.utf16-plain-text` specifies.
    private static func utf16(_ data: Data) -> String? {
        guard data.count.isMultiple(of: 2) else { return nil }
        if data.starts(with: [0xFF, 0xFE]) { return String(data: data.dropFirst(2), encoding: .utf16LittleEndian) }
        if data.starts(with: [0xFE, 0xFF]) { return String(data: data.dropFirst(2), encoding: .utf16BigEndian) }
        return String(data: data, encoding: .utf16LittleEndian)
    }
}
