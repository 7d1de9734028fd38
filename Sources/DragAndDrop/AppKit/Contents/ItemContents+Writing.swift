import Foundation
import ItemProvider
import UniformTypeIdentifiers

extension ItemContents {
    /// Creates an item from an object that is written to a pasteboard; `nil` if the object provides no data for any
    /// type.
    convenience init?(collecting object: any NSPasteboardWriting, for pasteboard: NSPasteboard) {
        self.init()
        let writer = SharedWriter(object: object)
        let promise = ValuePromise(
            keeper: ObjectIdentifier(object),
            keep: { type, item in
                let list = writer.object.pasteboardPropertyList(forType: type)
                if let data = list.flatMap({ PasteboardData.data(of: $0, as: type) }) { item.set(data, for: type) }
            },
            finish: nil)
        for type in object.writableTypes(for: pasteboard) {
            if object.writingOptions(forType: type, pasteboard: pasteboard).contains(.promised) {
                self.promise([type], by: promise)
            } else if let list = object.pasteboardPropertyList(forType: type),
                let data = PasteboardData.data(of: list, as: type)
            {
                set(data, for: type)
            }
        }
        if let provider = object as? NSFilePromiseProvider {
            filePromise = FilePromise(provider, pasteboard.store.promisePatience)
        }
        guard !types.isEmpty || filePromise != nil else { return nil }
    }

    /// Returns the item to write for an object; `nil` if the object provides no data for any type, or was read from a
    /// pasteboard.
    static func written(by object: any NSPasteboardWriting, to pasteboard: NSPasteboard) -> ItemContents? {
        if let item = object as? NSPasteboardItem { return item.contents.flatMap { $0.types.isEmpty ? nil : $0 } }
        return ItemContents(collecting: object, for: pasteboard)
    }
}

/// An object that is written to a pasteboard. Sendable because no two threads use it at once: promised types are
/// requested on the main thread, and all other types before the pasteboard's function for writing returns.
private struct SharedWriter: @unchecked Sendable {
    let object: any NSPasteboardWriting
}

/// Conversion between a pasteboard's values and bytes.
enum PasteboardData {
    /// Returns a value as bytes: data as it is, a string in the encoding of its type, a property list in binary form;
    /// `nil` for any other value.
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

    /// Returns the string of a text type, or the property list in the bytes of any other type. Bytes that are not a
    /// property list are read as a string in UTF-8.
    static func propertyList(_ data: Data, as type: NSPasteboard.PasteboardType) -> Any? {
        if TypeIdentifier.conforms(type.rawValue, to: UTType.text.identifier) { return string(data, as: type) }
        return ItemPropertyList.decode(data) ?? string(data, as: type)
    }
}
