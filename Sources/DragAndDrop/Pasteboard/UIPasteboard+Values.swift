import Foundation
import FoundationAdditions
import Images
import ItemProvider
import UniformTypeIdentifiers

/// The type identifiers for strings, URLs, images and colors.
extension UIPasteboard {
    /// The key for a value that is put on the pasteboard under all types of its own class.
    public class var typeAutomatic: String { "com.apple.uikit.type-automatic" }

    /// The types of strings.
    public class var typeListString: NSArray { NSString.readableTypeIdentifiersForItemProvider as NSArray }
    /// The types of URLs.
    public class var typeListURL: NSArray { [UTType.url.identifier] as NSArray }
    /// The types of images.
    public class var typeListImage: NSArray { ImageFormat.allCases.map(\.type.identifier) as NSArray }
    /// The types of colors.
    public class var typeListColor: NSArray { UIColor.readableTypeIdentifiersForItemProvider as NSArray }

    /// Loads an object of the given class from each item that the class can read. Returns the objects in the order of
    /// the items.
    func objects<Object: NSItemProviderReading>(_ type: Object.Type) -> [Object] {
        let reading = reading
        return itemProviders.compactMap { reading.object($0, type) }
    }

    func firstObject<Object: NSItemProviderReading>(_ type: Object.Type) -> Object? {
        itemProviders.first.flatMap { reading.object($0, type) }
    }

    func has<Object: NSItemProviderReading>(_ type: Object.Type) -> Bool {
        itemProviders.contains { $0.canLoadObject(ofClass: type) }
    }
}

extension PasteboardReading {
    /// Loads an object, and blocks until it is loaded; returns `nil` if the class cannot read the item, on failure, or
    /// after the deadline.
    fileprivate func object<Object: NSItemProviderReading>(
        _ provider: NSItemProvider, _ type: Object.Type
    ) -> Object? {
        guard provider.canLoadObject(ofClass: type) else { return nil }
        let loaded: Disconnected<any NSItemProviderReading>? = wait { done in
            let progress = provider.loadObject(ofClass: type) { object, _ in done(object.map { Disconnected($0) }) }
            return { progress.cancel() }
        }
        return loaded?.value as? Object
    }
}

extension Array {
    var nilIfEmpty: [Element]? { isEmpty ? nil : self }
}
