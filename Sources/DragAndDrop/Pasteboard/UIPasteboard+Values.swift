import Foundation
import Images
import ItemProvider
import UniformTypeIdentifiers

/// The usual values. The singular is the first item's, and setting either replaces everything.
extension UIPasteboard {
    /// The type under which a value is put on the pasteboard as what it is.
    public class var typeAutomatic: String { "com.apple.uikit.type-automatic" }

    /// The types of strings.
    public class var typeListString: NSArray { NSString.readableTypeIdentifiersForItemProvider as NSArray }
    /// The types of URLs.
    public class var typeListURL: NSArray { [UTType.url.identifier] as NSArray }
    /// The types of images.
    public class var typeListImage: NSArray { ImageFormat.allCases.map(\.type.identifier) as NSArray }
    /// The types of colors.
    public class var typeListColor: NSArray { UIColor.readableTypeIdentifiersForItemProvider as NSArray }

    private func objects<Object: NSItemProviderReading>(_ type: Object.Type) -> [Object] {
        itemProviders.filter { $0.canLoadObject(ofClass: type) }.compactMap { provider in
            let loaded: ReadObject? = PasteboardValue.wait { done in
                provider.loadObject(ofClass: type) { object, _ in done(object.map(ReadObject.init)) }
            }
            return loaded?.value as? Object
        }
    }

    private func has<Object: NSItemProviderReading>(_ type: Object.Type) -> Bool {
        itemProviders.contains { $0.canLoadObject(ofClass: type) }
    }

    /// The first string.
    public var string: String? {
        get { strings?.first }
        set { strings = newValue.map { [$0] } }
    }

    /// All strings.
    public var strings: [String]? {
        get { (objects(NSString.self) as [NSString]).map { $0 as String }.nilIfEmpty }
        set { setObjects((newValue ?? []).map { $0 as NSString }) }
    }

    /// The first URL.
    public var url: URL? {
        get { urls?.first }
        set { urls = newValue.map { [$0] } }
    }

    /// All URLs.
    public var urls: [URL]? {
        get { (objects(NSURL.self) as [NSURL]).map { $0 as URL }.nilIfEmpty }
        set { setObjects((newValue ?? []).map { $0 as NSURL }) }
    }

    /// The first image.
    public var image: UIImage? {
        get { images?.first }
        set { images = newValue.map { [$0] } }
    }

    /// All images.
    public var images: [UIImage]? {
        get { objects(UIImage.self).nilIfEmpty }
        set { setObjects(newValue ?? []) }
    }

    /// The first color.
    public var color: UIColor? {
        get { colors?.first }
        set { colors = newValue.map { [$0] } }
    }

    /// All colors.
    public var colors: [UIColor]? {
        get { objects(UIColor.self).nilIfEmpty }
        set { setObjects(newValue ?? []) }
    }

    /// Whether there is a string. Nothing is loaded to tell.
    public var hasStrings: Bool { has(NSString.self) }
    /// Whether there is a URL. Nothing is loaded to tell.
    public var hasURLs: Bool { has(NSURL.self) }
    /// Whether there is an image. Nothing is loaded to tell.
    public var hasImages: Bool { has(UIImage.self) }
    /// Whether there is a color. Nothing is loaded to tell.
    public var hasColors: Bool { has(UIColor.self) }
}

/// Sendable because it is handed over: the load keeps no reference to the object it made.
private struct ReadObject: @unchecked Sendable {
    let value: any NSItemProviderReading
}

extension Array {
    fileprivate var nilIfEmpty: [Element]? { isEmpty ? nil : self }
}
