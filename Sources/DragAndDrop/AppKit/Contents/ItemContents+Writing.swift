import Foundation

extension ItemContents {
    /// Creates an item from an object that is written to a pasteboard; `nil` if it provides no data for any type.
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

    /// Returns the item of an object that is written; `nil` if it provides no data for any type, or was read from a
    /// pasteboard.
    static func written(by object: any NSPasteboardWriting, to pasteboard: NSPasteboard) -> ItemContents? {
        if let item = object as? NSPasteboardItem { return item.contents.flatMap { $0.types.isEmpty ? nil : $0 } }
        return ItemContents(collecting: object, for: pasteboard)
    }
}

/// An object that is written. Sendable because it is used on the main thread for promised types, and at once for
/// others.
private struct SharedWriter: @unchecked Sendable {
    let object: any NSPasteboardWriting
}
