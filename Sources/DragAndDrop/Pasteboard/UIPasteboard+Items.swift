import Foundation
import Images
import ItemProvider
import UniformTypeIdentifiers

/// Items as dictionaries from type to value. The values are those of ``value(forPasteboardType:)``.
extension UIPasteboard {
    /// How many items there are.
    public var numberOfItems: Int { itemProviders.count }

    /// The types of the first item.
    public var types: [String] { itemProviders.first?.registeredTypeIdentifiers ?? [] }

    /// The types of each of these items; of all without a set.
    public func types(forItemSet itemSet: IndexSet?) -> [[String]]? {
        selected(itemSet)?.map(\.registeredTypeIdentifiers)
    }

    /// Whether the first item has one of these types.
    public func contains(pasteboardTypes: [String]) -> Bool {
        itemProviders.first.map { $0.hasOne(of: pasteboardTypes) } ?? false
    }

    /// Whether every one of these items has one of these types; all items without a set.
    public func contains(pasteboardTypes: [String], inItemSet itemSet: IndexSet?) -> Bool {
        guard let items = selected(itemSet), !items.isEmpty else { return false }
        return items.allSatisfy { $0.hasOne(of: pasteboardTypes) }
    }

    /// Which items have one of these types.
    public func itemSet(withPasteboardTypes pasteboardTypes: [String]) -> IndexSet? {
        IndexSet(itemProviders.enumerated().filter { $0.element.hasOne(of: pasteboardTypes) }.map(\.offset))
    }

    /// The first item's data of a type.
    public func data(forPasteboardType pasteboardType: String) -> Data? {
        itemProviders.first.flatMap { PasteboardValue.data($0, pasteboardType) }
    }

    /// The data of a type of each of these items that has it.
    public func data(forPasteboardType pasteboardType: String, inItemSet itemSet: IndexSet?) -> [Data]? {
        selected(itemSet)?.compactMap { PasteboardValue.data($0, pasteboardType) }
    }

    /// The first item's value of a type: a string of a text, a URL, an image, a color, what a property list holds; else data.
    public func value(forPasteboardType pasteboardType: String) -> Any? {
        itemProviders.first.flatMap { PasteboardValue.value($0, pasteboardType) }
    }

    /// The value of a type of each of these items that has it.
    public func values(forPasteboardType pasteboardType: String, inItemSet itemSet: IndexSet?) -> [Any]? {
        selected(itemSet)?.compactMap { PasteboardValue.value($0, pasteboardType) }
    }

    /// Puts one value on the pasteboard, in place of what was there. A value that cannot be coded is left out.
    public func setValue(_ value: Any, forPasteboardType pasteboardType: String) {
        setItems([[pasteboardType: value]])
    }

    /// Puts data on the pasteboard, in place of what was there.
    public func setData(_ data: Data, forPasteboardType pasteboardType: String) {
        setItems([[pasteboardType: data]])
    }

    /// The items with all their values; setting them replaces what was there.
    public var items: [[String: Any]] {
        get {
            itemProviders.map { provider in
                provider.registeredTypeIdentifiers.reduce(into: [:]) { $0[$1] = PasteboardValue.value(provider, $1) }
            }
        }
        set { setItems(newValue) }
    }

    /// Puts more items on the pasteboard. What is there and of other processes stays as it is.
    public func addItems(_ items: [[String: Any]]) {
        itemProviders += items.map(PasteboardValue.provider)
    }

    /// Puts items on the pasteboard, in place of what was there.
    public func setItems(_ items: [[String: Any]], options: [OptionsKey: Any] = [:]) {
        setItemProviders(
            items.map(PasteboardValue.provider), localOnly: options[.localOnly] as? Bool ?? false,
            expirationDate: options[.expirationDate] as? Date)
    }

    private func selected(_ itemSet: IndexSet?) -> [NSItemProvider]? {
        let items = itemProviders
        guard let itemSet else { return items }
        guard itemSet.allSatisfy({ items.indices.contains($0) }) else { return nil }
        return itemSet.map { items[$0] }
    }
}

extension NSItemProvider {
    func hasOne(of types: [String]) -> Bool { types.contains { hasItemConformingToTypeIdentifier($0) } }

    /// The same item, which no other process sees.
    func restrictedToThisProcess() -> NSItemProvider {
        let copy = NSItemProvider()
        copy.suggestedName = suggestedName
        copy.previewImageHandler = previewImageHandler
        copy.promise.presentation = promise.presentation
        for representation in representations { copy.register(representation.restricted(to: .ownProcess)) }
        copy.promise.teamRepresentation = promise.teamRepresentation?.restricted(to: .ownProcess)
        return copy
    }
}

/// What of an item is read, and how it is made of values.
enum PasteboardValue {
    /// An item with a value of each type. Under ``UIPasteboard/typeAutomatic`` a value's own types are taken.
    static func provider(_ values: [String: Any]) -> NSItemProvider {
        let provider = NSItemProvider()
        for (type, value) in values.sorted(by: { $0.key < $1.key }) {
            if type == UIPasteboard.typeAutomatic {
                if let object = (value as AnyObject) as? any NSItemProviderWriting {
                    provider.registerObject(object, visibility: .all)
                }
            } else if let item = ItemValue(boxing: value) {
                provider.registerItem(forTypeIdentifier: type) { completion, _, _ in completion?(item.object, nil) }
            }
        }
        return provider
    }

    /// Blocks until the data is there; `nil` where it cannot be had.
    static func data(_ provider: NSItemProvider, _ type: String) -> Data? {
        wait { done in
            provider.loadDataRepresentation(forTypeIdentifier: type) { data, _ in done(data) }
        }
    }

    /// Blocks until the value is there; `nil` where it cannot be had.
    static func value(_ provider: NSItemProvider, _ type: String) -> Any? {
        let loaded: (item: ItemValue?, error: (any Error)?)? = wait { done in
            provider.loadItem(forTypeIdentifier: type) { item, error in done((item.map { ItemValue($0) }, error)) }
        }
        guard let object = loaded?.item?.object else {
            // An object of a class that this process cannot read is its archive.
            let code = (loaded?.error as NSError?)?.code
            return code == NSItemProvider.ErrorCode.unavailableCoercionError.rawValue ? data(provider, type) : nil
        }
        guard let data = object as? NSData else { return natural(object) }
        let classes: [any NSItemProviderReading.Type] = [NSURL.self, NSString.self, UIImage.self, UIColor.self]
        for aClass in classes
        where aClass.readableTypeIdentifiersForItemProvider.contains(where: { TypeIdentifier.conforms(type, to: $0) }) {
            if let value = try? aClass.object(withItemProviderData: Data(referencing: data), typeIdentifier: type) {
                return natural(value)
            }
        }
        return natural(object)
    }

    /// Foundation's objects as the Swift values they stand for.
    private static func natural(_ object: Any) -> Any {
        switch object {
        case let text as NSString: text as String
        case let url as NSURL: url as URL
        case let data as NSData: Data(referencing: data)
        default: object
        }
    }

    /// Blocks the calling thread until a load has ended. On the main thread, promises of this process are kept meanwhile.
    static func wait<Value: Sendable>(_ start: (@escaping @Sendable (Value?) -> Void) -> Void) -> Value? {
        MainThread.wait(start)
    }
}
