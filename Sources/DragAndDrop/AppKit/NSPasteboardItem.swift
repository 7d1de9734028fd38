import Foundation
import ItemProvider
import UniformTypeIdentifiers

/// An item of a pasteboard, in several types. This process has either created it for writing, or read it from a
/// pasteboard.
///
/// Functions that return a value may load it from another process, and block as those of ``NSPasteboard`` do. When the
/// pasteboard gets other contents, items that were read return no values any more.
///
/// Sendable because its only state is a constant reference to the contents or to the offered item, which are Sendable.
///
/// Source: AppKit, `NSPasteboardItem.h`.
open class NSPasteboardItem: NSObject, NSPasteboardWriting, NSPasteboardReading, @unchecked Sendable {
    private enum Kind {
        /// An item of this process.
        case own(ItemContents)
        case offered(OfferedItem)
    }

    private let kind: Kind

    /// Creates an item without any type.
    public override init() {
        let contents = ItemContents()
        kind = .own(contents)
        super.init()
        contents.setHandle(self)
    }

    /// Creates an item with a value of one type; `nil` if the type is invalid, or if no property list can hold the
    /// value.
    public required init?(pasteboardPropertyList propertyList: Any, ofType type: NSPasteboard.PasteboardType) {
        let contents = ItemContents()
        kind = .own(contents)
        super.init()
        contents.setHandle(self)
        guard setPropertyList(propertyList, forType: type) else { return nil }
    }

    init(_ contents: ItemContents) {
        kind = .own(contents)
        super.init()
        contents.setHandle(self)
    }

    init(_ item: OfferedItem) {
        kind = .offered(item)
        super.init()
    }

    /// The contents to write; `nil` for an item that was read.
    var contents: ItemContents? {
        if case .own(let contents) = kind { return contents }
        return nil
    }

    /// The item that was read; `nil` for an item of this process.
    var offered: OfferedItem? {
        if case .offered(let item) = kind { return item }
        return nil
    }

    /// Whether both objects represent the same item.
    func isSame(as other: NSPasteboardItem) -> Bool {
        switch (kind, other.kind) {
        case (.own(let one), .own(let other)): one === other
        case (.offered(let one), .offered(let other)): one.isSame(as: other)
        default: false
        }
    }

    // MARK: - Types

    /// The types, best first. Text in any encoding is also available as `string`, and a promised file as the file's
    /// type.
    open var types: [NSPasteboard.PasteboardType] {
        let own = ownTypes
        return own.contains(.string) || Self.text(among: own) == nil ? own : own + [.string]
    }

    private var ownTypes: [NSPasteboard.PasteboardType] {
        switch kind {
        case .own(let contents): contents.offeredTypes
        case .offered(let item): item.types
        }
    }

    private static func text(among types: [NSPasteboard.PasteboardType]) -> NSPasteboard.PasteboardType? {
        types.first { TypeIdentifier.conforms($0.rawValue, to: UTType.plainText.identifier) }
    }

    /// Returns the first of the given types that the item has; `nil` if it has none of them.
    open func availableType(from types: [NSPasteboard.PasteboardType]) -> NSPasteboard.PasteboardType? {
        let own = self.types
        return types.first { type in own.contains { TypeIdentifier.areEqual($0.rawValue, type.rawValue) } }
    }

    // MARK: - Writing

    /// Promises data of several types. The data provider is called when a client loads the data, and is retained until
    /// then.
    ///
    /// - Returns: `false` if `types` is empty, or if the item is on a pasteboard or was read from a pasteboard.
    @discardableResult
    open func setDataProvider(
        _ dataProvider: any NSPasteboardItemDataProvider, forTypes types: [NSPasteboard.PasteboardType]
    ) -> Bool {
        guard let contents, contents.pasteboard == nil else { return false }
        let shared = SharedDataProvider(object: dataProvider)
        let promise = ItemContents.ValuePromise(
            keeper: ObjectIdentifier(dataProvider),
            keep: { type, item in
                shared.object.pasteboard(item.pasteboard, item: item.handle, provideDataForType: type)
            },
            finish: { shared.object.pasteboardFinishedWithDataProvider($0) })
        return contents.promise(types, by: promise)
    }

    /// Sets the item's data of the given type.
    ///
    /// - Returns: `false` if the type is new and the item is on a pasteboard, or if the item was read from a
    ///   pasteboard.
    @discardableResult
    open func setData(_ data: Data, forType type: NSPasteboard.PasteboardType) -> Bool {
        guard let contents, contents.pasteboard == nil || contents.types.contains(type) else { return false }
        return contents.set(data, for: type) != nil
    }

    /// Sets a string as the item's data of the given type, see ``setData(_:forType:)``.
    @discardableResult
    open func setString(_ string: String, forType type: NSPasteboard.PasteboardType) -> Bool {
        setPropertyList(string, forType: type)
    }

    /// Encodes a value as a property list, and sets the result as the item's data of the given type, see
    /// ``setData(_:forType:)``. Returns `false` if a property list cannot contain the value.
    @discardableResult
    open func setPropertyList(_ propertyList: Any, forType type: NSPasteboard.PasteboardType) -> Bool {
        guard let data = PasteboardData.data(of: propertyList, as: type) else { return false }
        return setData(data, forType: type)
    }

    // MARK: - Reading

    /// Returns the item's data of the given type; `nil` if it is not available. Requests promised data and waits for
    /// it.
    open func data(forType type: NSPasteboard.PasteboardType) -> Data? {
        if let data = ownData(type) { return data }
        guard type == .string, let other = Self.text(among: ownTypes), other != type else { return nil }
        return ownData(other).flatMap { PasteboardData.string($0, as: other) }.map { Data($0.utf8) }
    }

    private func ownData(_ type: NSPasteboard.PasteboardType) -> Data? {
        switch kind {
        case .own(let contents):
            contents.data(for: type, within: contents.pasteboard?.store.patience ?? PasteboardStore.shared.patience)
                ?? contents.fileData(for: type)
        case .offered(let item): item.data(for: type)
        }
    }

    /// Decodes the item's data of the given type as text in the encoding of the type, or as UTF-8 if the type is no
    /// text type.
    open func string(forType type: NSPasteboard.PasteboardType) -> String? {
        data(forType: type).flatMap { PasteboardData.string($0, as: type) }
    }

    /// Returns the string if the given type is a text type. For any other type, decodes the data as a property list.
    open func propertyList(forType type: NSPasteboard.PasteboardType) -> Any? {
        data(forType: type).flatMap { PasteboardData.propertyList($0, as: type) }
    }

    // MARK: - Being written and read

    /// Returns all types.
    open func writableTypes(for pasteboard: NSPasteboard) -> [NSPasteboard.PasteboardType] { types }

    /// Returns the data of the given type.
    open func pasteboardPropertyList(forType type: NSPasteboard.PasteboardType) -> Any? { data(forType: type) }

    /// Returns `public.item`, because an item of any type can be read as an `NSPasteboardItem`.
    open class func readableTypes(for pasteboard: NSPasteboard) -> [NSPasteboard.PasteboardType] {
        [NSPasteboard.PasteboardType(UTType.item.identifier)]
    }
}

/// A data provider. Sendable because it is used on the main thread only.
private struct SharedDataProvider: @unchecked Sendable {
    let object: any NSPasteboardItemDataProvider
}
