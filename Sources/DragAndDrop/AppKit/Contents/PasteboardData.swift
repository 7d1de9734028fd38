import Foundation
import ItemProvider
import UniformTypeIdentifiers

/// Conversion between a pasteboard's values and bytes.
enum PasteboardData {
    /// Returns the bytes of data, of a string in the encoding of its type, or of a property list; `nil` for any other
    /// value.
    static func data(of value: Any, as type: NSPasteboard.PasteboardType) -> Data? {
        if let data = value as? Data { return data }
        if let text = value as? String { return PlainText.encode(text, typeIdentifier: type.rawValue) }
        guard PropertyListSerialization.propertyList(value, isValidFor: .binary) else { return nil }
        return try? PropertyListSerialization.data(fromPropertyList: value, format: .binary, options: 0)
    }

    /// Returns a string from bytes: text in the encoding of its type, else UTF-8.
    static func string(_ data: Data, as type: NSPasteboard.PasteboardType) -> String? {
        if TypeIdentifier.conforms(type.rawValue, to: UTType.text.identifier) {
            return PlainText.decode(data, typeIdentifier: type.rawValue)
        }
        return String(data: data, encoding: .utf8)
    }

    /// Returns the value of a property list, or a string.
    static func propertyList(_ data: Data, as type: NSPasteboard.PasteboardType) -> Any? {
        if TypeIdentifier.conforms(type.rawValue, to: UTType.text.identifier) { return string(data, as: type) }
        return ItemPropertyList.decode(data) ?? string(data, as: type)
    }
}
