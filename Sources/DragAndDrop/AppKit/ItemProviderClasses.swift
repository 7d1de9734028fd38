import Foundation
import Images
import ItemProvider
import UniformTypeIdentifiers

// A class that supports item providers is written to pasteboards and read from them in the same types.

extension NSPasteboardWriting where Self: NSItemProviderWriting {
    /// Returns the types in which item providers offer the object.
    public func writableTypes(for pasteboard: NSPasteboard) -> [NSPasteboard.PasteboardType] {
        writableTypeIdentifiersForItemProvider.map { NSPasteboard.PasteboardType($0) }
    }

    /// Returns the data that the object provides to item providers: as a string for text and URLs, and as data for any
    /// other type. Blocks until the object has provided the data.
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
    /// Returns the types from which item providers create objects of the class.
    public static func readableTypes(for pasteboard: NSPasteboard) -> [NSPasteboard.PasteboardType] {
        readableTypeIdentifiersForItemProvider.map { NSPasteboard.PasteboardType($0) }
    }
}

extension NSPasteboardReading where Self: NSObject, Self: NSItemProviderReading {
    /// Creates an object from the data of an item provider; `nil` if the class cannot read the data.
    public init?(pasteboardPropertyList propertyList: Any, ofType type: NSPasteboard.PasteboardType) {
        self.init(handedOverBy: {
            guard let data = PasteboardData.data(of: propertyList, as: type) else { return nil }
            return try? Self.object(withItemProviderData: data, typeIdentifier: type.rawValue)
        })
    }
}

extension Hashable {
    /// Creates the value that a function returns; `nil` if the function returns `nil`.
    ///
    /// The initializer above calls this one, because only an initializer in an extension of a protocol that is not
    /// restricted to classes may assign `self`. An extension of a class would not help: it cannot declare an
    /// initializer that all subclasses inherit.
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
    /// Creates a URL from the first URL on a pasteboard; `nil` if the pasteboard has no URL.
    public convenience init?(from pasteBoard: NSPasteboard) {
        guard let url = pasteBoard.readObjects(forClasses: [NSURL.self])?.first as? NSURL else { return nil }
        self.init(string: url.absoluteString)
    }

    /// Writes the URL to the first item of a pasteboard that this process owns. The types of the item need not be
    /// declared before.
    public func write(to pasteBoard: NSPasteboard) {
        for type in writableTypes(for: pasteBoard) {
            if let list = pasteboardPropertyList(forType: type) { pasteBoard.setPropertyList(list, forType: type) }
        }
    }
}
