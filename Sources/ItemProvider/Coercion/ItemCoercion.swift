import FileCoordination
import Foundation
import Images
import UniformTypeIdentifiers

/// Turning an item into an object of the class that its consumer asked for.
///
/// | from | to |
/// | --- | --- |
/// | a class, or one above it | itself |
/// | a file's URL | data (its contents), string and attributed string (its text), image, property list, file wrapper |
/// | any other URL | string, data (the URL's own bytes) |
/// | data | string, attributed string, URL, image, property list, file wrapper, as its type says |
/// | string, attributed string | data, URL, each other |
/// | property list | data |
/// | image | data in the asked type's format |
/// | file wrapper | data, of a regular file |
///
/// Everything else, and what turns out not to be what its type says, is `unavailableCoercionError`.
enum ItemCoercion {
    /// - Parameter typeIdentifier: the type under which the item is registered.
    static func coerce(_ value: ItemValue, typeIdentifier: String, to wanted: AnyClass) throws -> ItemValue {
        if let object = value.object as? NSObject, object.isKind(of: wanted) { return value }
        let result: (any NSSecureCoding)? =
            switch value.object {
            case let url as NSURL: try coerce(url as URL, typeIdentifier, to: wanted)
            case let data as NSData: coerce(Data(referencing: data), typeIdentifier, to: wanted)
            case let text as NSString: coerce(text as String, to: wanted)
            case let text as NSAttributedString: coerce(text.string, to: wanted)
            case let image as UIImage:
                wanted == NSData.self ? data(of: image, typeIdentifier).map { $0 as NSData } : nil
            case let wrapper as FileWrapper:
                wanted == NSData.self ? wrapper.regularFileContents.map { $0 as NSData } : nil
            case is NSDictionary, is NSArray, is NSNumber, is NSDate:
                wanted == NSData.self ? propertyListData(value.object).map { $0 as NSData } : nil
            default: nil
            }
        guard let result else {
            throw ItemProviderError.make(
                .unavailableCoercionError,
                "The item of class \(Swift.type(of: value.object)) and type \(typeIdentifier) cannot be made a \(wanted)"
            )
        }
        return ItemValue(result)
    }

    private static func coerce(_ url: URL, _ typeIdentifier: String, to wanted: AnyClass) throws
        -> (any NSSecureCoding)?
    {
        if url.isFileURL, wanted == FileWrapper.self { return try? FileWrapper(url: url) }
        let isText = wanted == NSString.self || wanted == NSAttributedString.self
        let namesTheFile = TypeIdentifier.conforms(typeIdentifier, to: UTType.url.identifier)
        if !url.isFileURL || isText && namesTheFile {
            if wanted == NSData.self { return url.dataRepresentation as NSData }
            return coerce(url.absoluteString, to: wanted)
        }
        guard let contents = FileManager.default.contents(atPath: url.path) else { return nil }
        let type = namesTheFile ? FileType.type(of: url).identifier : typeIdentifier
        return wanted == NSData.self ? contents as NSData : coerce(contents, type, to: wanted)
    }

    private static func coerce(_ data: Data, _ typeIdentifier: String, to wanted: AnyClass) -> (any NSSecureCoding)? {
        if wanted == UIImage.self { return UIImage(data: data) }
        if wanted == FileWrapper.self { return FileWrapper(regularFileWithContents: data) }
        if wanted == NSURL.self { return try? NSURL.object(withItemProviderData: data, typeIdentifier: typeIdentifier) }
        if wanted == NSString.self {
            return PlainText.decode(data, typeIdentifier: typeIdentifier).map { $0 as NSString }
        }
        if wanted == NSAttributedString.self {
            return try? NSAttributedString.object(withItemProviderData: data, typeIdentifier: typeIdentifier)
        }
        let lists: [AnyClass] = [NSDictionary.self, NSArray.self, NSNumber.self, NSDate.self]
        if lists.contains(where: { $0 == wanted }) {
            guard let list = ItemPropertyList.decode(data), list.isKind(of: wanted) else { return nil }
            return list as? any NSSecureCoding
        }
        return KeyedArchive.unarchive(data, as: wanted)
    }

    private static func coerce(_ text: String, to wanted: AnyClass) -> (any NSSecureCoding)? {
        if wanted == NSData.self { return Data(text.utf8) as NSData }
        if wanted == NSString.self { return text as NSString }
        if wanted == NSAttributedString.self { return NSAttributedString(string: text) }
        if wanted == NSURL.self, let url = URL(string: text), url.scheme != nil { return url as NSURL }
        return nil
    }

    /// An image's bytes in the format of a type, or in its own where the type leaves that open.
    static func data(of image: UIImage, _ typeIdentifier: String) -> Data? {
        let format = UTType(typeIdentifier).flatMap { ImageFormat($0) } ?? image.header.format
        return try? image.data(as: format)
    }

    static func propertyListData(_ value: Any) -> Data? {
        guard PropertyListSerialization.propertyList(value, isValidFor: .binary) else { return nil }
        return try? PropertyListSerialization.data(fromPropertyList: value, format: .binary, options: 0)
    }
}
