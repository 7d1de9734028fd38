import Foundation
import Images
import ItemProvider
import UniformTypeIdentifiers

// A class that knows item providers is written to pasteboards and read from them in the same types.

extension NSPasteboardWriting where Self: NSItemProviderWriting {
    /// The types that it is given to item providers as.
    public func writableTypes(for pasteboard: NSPasteboard) -> [NSPasteboard.PasteboardType] {
        writableTypeIdentifiersForItemProvider.map { NSPasteboard.PasteboardType($0) }
    }

    /// What it gives to item providers: text and URLs as a string, anything else as data. Blocks until it has given it.
    public func pasteboardPropertyList(forType type: NSPasteboard.PasteboardType) -> Any? {
        let data: Data? = MainThread.wait(within: PasteboardStore.shared.patience) { done in
            _ = loadData(withTypeIdentifier: type.rawValue) { data, _ in done(data) }
        }
        let texts = [UTType.text, .url].map(\.identifier)
        guard let data, texts.contains(where: { TypeIdentifier.conforms(type.rawValue, to: $0) }) else { return data }
        return PasteboardData.string(data, as: type) ?? data
    }
}

extension NSPasteboardReading where Self: NSItemProviderReading {
    /// The types that it is read from item providers in.
    public static func readableTypes(for pasteboard: NSPasteboard) -> [NSPasteboard.PasteboardType] {
        readableTypeIdentifiersForItemProvider.map { NSPasteboard.PasteboardType($0) }
    }
}

extension NSPasteboardReading where Self: NSObject, Self: NSItemProviderReading {
    /// Makes an object of what an item provider would give; `nil` where it cannot be made of it.
    public init?(pasteboardPropertyList propertyList: Any, ofType type: NSPasteboard.PasteboardType) {
        self.init(handedOverBy: {
            guard let data = PasteboardData.data(of: propertyList, as: type) else { return nil }
            return try? Self.object(withItemProviderData: data, typeIdentifier: type.rawValue)
        })
    }
}

extension Hashable {
    /// The object that a function gives.
    ///
    /// A class cannot be given an initializer by an extension that subclasses have to have, and only an extension of a protocol that
    /// is not for classes alone may put another object in the place of the one that is made.
    fileprivate init?(handedOverBy make: () -> Self?) {
        guard let object = make() else { return nil }
        self = object
    }
}

extension NSString: NSPasteboardWriting, NSPasteboardReading {}
extension NSAttributedString: NSPasteboardWriting, NSPasteboardReading {}
extension UIImage: NSPasteboardWriting, NSPasteboardReading {}
extension UIColor: NSPasteboardWriting, NSPasteboardReading {}
extension NSURL: NSPasteboardWriting, NSPasteboardReading {}

extension NSURL {
    /// The first URL of a pasteboard; `nil` where there is none.
    public convenience init?(from pasteBoard: NSPasteboard) {
        guard let url = pasteBoard.readObjects(forClasses: [NSURL.self])?.first as? NSURL else { return nil }
        self.init(string: url.absoluteString)
    }

    /// Writes the URL to a pasteboard that is this process's, as types of its first item that were declared or not.
    public func write(to pasteBoard: NSPasteboard) {
        for type in writableTypes(for: pasteBoard) {
            if let list = pasteboardPropertyList(forType: type) { pasteBoard.setPropertyList(list, forType: type) }
        }
    }
}
