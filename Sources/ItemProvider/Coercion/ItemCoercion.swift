import FileCoordination
import Foundation
import Images
import PropertyLists
import UniformTypeIdentifiers

/// The conversion of an item to an object of the class that its consumer requested.
///
/// | from | to |
/// | --- | --- |
/// | a class | itself, a superclass |
/// | anything that has bytes | data, or a file wrapper of it: the bytes that `loadDataRepresentation` loads |
/// | a file's URL | data (the file's contents), anything that this data can be converted to, file wrapper |
/// | any other URL | string |
/// | data | depending on its type: string, attributed string, URL, image, property list, unarchived object |
/// | string, attributed string | URL, the other of the two |
/// | file wrapper | anything that the contents of its regular file can be converted to |
///
/// Every other conversion fails with `unavailableCoercionError`, and so does the conversion of data that is not of its
/// stated type.
struct ItemCoercion {
    /// The type under which the item is registered.
    let typeIdentifier: String
    /// The conversion to bytes, as for `loadDataRepresentation`.
    let bridge: Bridge

    func coerce(_ value: ItemValue, to wanted: AnyClass) throws -> ItemValue {
        if let object = value.object as? NSObject, object.isKind(of: wanted) { return value }
        let result: (any NSSecureCoding)? =
            if wanted == NSData.self {
                try data(of: value) as NSData
            } else if wanted == FileWrapper.self {
                try wrapper(of: value)
            } else {
                switch value.object {
                case let url as NSURL: try coerce(url as URL, to: wanted)
                case let data as NSData: coerce(Data(referencing: data), typeIdentifier, to: wanted)
                case let text as NSString: coerce(text as String, to: wanted)
                case let text as NSAttributedString: coerce(text.string, to: wanted)
                case let wrapper as FileWrapper:
                    wrapper.regularFileContents.flatMap { coerce($0, typeIdentifier, to: wanted) }
                default: nil
                }
            }
        guard let result else { throw failure(value, wanted) }
        return ItemValue(result)
    }

    private func failure(_ value: ItemValue, _ wanted: AnyClass) -> NSError {
        ItemProviderError.make(
            .unavailableCoercionError,
            "The item of class \(Swift.type(of: value.object)) and type \(typeIdentifier) cannot be made a \(wanted)")
    }

    // MARK: - Bytes

    /// Returns the bytes that `loadDataRepresentation` loads, with one difference: for the URL of a file, returns the
    /// file's contents even if the item's type is a URL type.
    private func data(of value: ItemValue) throws -> Data {
        if let url = value.object as? NSURL, url.isFileURL { return try contents(of: url as URL) }
        return try unavailable { try value.supply(typeIdentifier: typeIdentifier) }
    }

    private func contents(of url: URL) throws -> Data {
        try unavailable { .file(try SuppliedFile(url: url, isOfferedInPlace: false, isCoordinated: false)) }
    }

    /// Converts a supply to data. Every error is converted to `unavailableCoercionError` with the same description and
    /// cause.
    private func unavailable(_ supply: () throws -> Supply) throws -> Data {
        do {
            return try bridge.deliver(supply(), as: .data).asData.get()
        } catch {
            let cause = CocoaError.known(error) as NSError
            guard cause.domain == NSItemProvider.errorDomain else {
                throw ItemProviderError.make(
                    .unavailableCoercionError, cause.localizedDescription, underlying: cause)
            }
            throw ItemProviderError.make(
                .unavailableCoercionError, cause.localizedDescription,
                underlying: cause.userInfo[NSUnderlyingErrorKey] as? any Error)
        }
    }

    private func wrapper(of value: ItemValue) throws -> FileWrapper {
        guard let url = value.object as? NSURL, url.isFileURL else {
            return FileWrapper(regularFileWithContents: try data(of: value))
        }
        do {
            return try FileWrapper(url: url as URL)
        } catch {
            throw ItemProviderError.make(
                .unavailableCoercionError, "The file \((url as URL).path) cannot be read", underlying: error)
        }
    }

    // MARK: - Classes

    private func coerce(_ url: URL, to wanted: AnyClass) throws -> (any NSSecureCoding)? {
        let isText = wanted == NSString.self || wanted == NSAttributedString.self
        let namesTheFile = TypeIdentifier.conforms(typeIdentifier, to: UTType.url.identifier)
        if !url.isFileURL || isText && namesTheFile { return coerce(url.absoluteString, to: wanted) }
        if url.hasDirectoryPath { return nil }
        let type = namesTheFile ? FileType.type(of: url).identifier : typeIdentifier
        return coerce(try contents(of: url), type, to: wanted)
    }

    private func coerce(_ data: Data, _ typeIdentifier: String, to wanted: AnyClass) -> (any NSSecureCoding)? {
        if wanted == UIImage.self { return UIImage(data: data) }
        if wanted == NSURL.self { return DataMeaning(data, typeIdentifier).url.map { $0 as NSURL } }
        if wanted == NSString.self { return DataMeaning(data, typeIdentifier).text.map { $0 as NSString } }
        if wanted == NSAttributedString.self {
            if TypeIdentifier.areEqual(typeIdentifier, AttributedText.typeIdentifier) {
                return AttributedText.decode(data).map { NSAttributedString(attributedString: $0) }
            }
            return DataMeaning(data, typeIdentifier).text.map { NSAttributedString(string: $0) }
        }
        let lists: [AnyClass] = [NSDictionary.self, NSArray.self, NSNumber.self, NSDate.self]
        // An archive is also a property list, but that list is the archive's internal structure and not the requested
        // value.
        if lists.contains(where: { $0 == wanted }), !KeyedArchive.isArchive(data) {
            guard let list = ItemPropertyList.decode(data), list.isKind(of: wanted) else { return nil }
            return list as? any NSSecureCoding
        }
        return KeyedArchive.unarchive(data, as: wanted)
    }

    private func coerce(_ text: String, to wanted: AnyClass) -> (any NSSecureCoding)? {
        if wanted == NSString.self { return text as NSString }
        if wanted == NSAttributedString.self { return NSAttributedString(string: text) }
        if wanted == NSURL.self, let url = URL(string: text), url.scheme != nil { return url as NSURL }
        return nil
    }

    /// Returns an image's bytes in the format of a type, or in the image's own format if the type does not determine
    /// one.
    static func data(of image: UIImage, _ typeIdentifier: String) -> Data? {
        let format = UTType(typeIdentifier).flatMap { ImageFormat($0) } ?? image.header.format
        return try? image.data(as: format)
    }

    static func propertyListData(_ value: Any) -> Data? {
        guard PropertyListSerialization.propertyList(value, isValidFor: .binary) else { return nil }
        return try? PropertyListSerialization.data(fromPropertyList: value, format: .binary, options: 0)
    }
}

/// A reader of property lists in any of the three forms: binary, XML, and the oldest, textual one.
package enum ItemPropertyList {
    package static func decode(_ data: Data) -> NSObject? {
        // Foundation accepts any text as a property list of the oldest form. Therefore the text must begin like a
        // collection or like XML, or with a byte order mark (0xEF in UTF-8).
        let start = data.first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
        guard let start, ForeignPropertyList.isBinary(data) || "<{(".utf8.contains(start) || start == 0xEF else {
            return nil
        }
        guard let list = try? ForeignPropertyList.read(data) else { return nil }
        return (list as AnyObject) as? NSObject
    }
}
