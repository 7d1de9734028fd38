import FileCoordination
import Foundation
import Images
import UniformTypeIdentifiers

extension ItemValue {
    /// Returns the item in the form that loads of data and files need: bytes, or an open file.
    ///
    /// The URL of a file represents the file's contents, unless the type is a URL type. The file wrapper of a directory
    /// is first written to a temporary directory. An object of an unknown class is archived.
    ///
    /// - Throws: `unavailableCoercionError` if the object cannot be represented as bytes.
    func supply(typeIdentifier: String) throws -> Supply {
        switch object {
        case let url as NSURL
        where url.isFileURL && !TypeIdentifier.conforms(typeIdentifier, to: UTType.url.identifier):
            return .file(try SuppliedFile(url: url as URL, isOfferedInPlace: false, isCoordinated: false))
        case let url as NSURL:
            return .bytes((url as URL).absoluteURL.dataRepresentation)
        case let data as NSData:
            return .bytes(Data(referencing: data))
        case let text as NSString:
            return .bytes(PlainText.encode(text as String, typeIdentifier: typeIdentifier))
        case let text as NSAttributedString
        where !TypeIdentifier.areEqual(typeIdentifier, AttributedText.typeIdentifier):
            return .bytes(PlainText.encode(text.string, typeIdentifier: typeIdentifier))
        case let text as NSAttributedString:
            return .bytes(try AttributedText.encode(text))
        case let image as UIImage:
            if let data = ItemCoercion.data(of: image, typeIdentifier) { return .bytes(data) }
        case let wrapper as FileWrapper where wrapper.isDirectory:
            return try supply(writing: wrapper)
        case let wrapper as FileWrapper:
            if let data = wrapper.regularFileContents { return .bytes(data) }
        default:
            if let data = ItemCoercion.propertyListData(object) ?? KeyedArchive.archive(object) { return .bytes(data) }
        }
        throw ItemProviderError.make(
            .unavailableCoercionError,
            "An item of class \(Swift.type(of: object)) cannot be made data of type \(typeIdentifier)")
    }

    private func supply(writing wrapper: FileWrapper) throws -> Supply {
        let folder = try LoadFolder()
        let name = ItemName.name(
            suggested: wrapper.preferredFilename, file: wrapper.filename, typeIdentifier: UTType.folder.identifier)
        let url = URL(fileURLWithPath: folder.path).appendingPathComponent(name, isDirectory: true)
        try wrapper.write(to: url, originalContentsURL: nil)
        let file = try SuppliedFile(url: url, isOfferedInPlace: false, isCoordinated: false)
        return .file(file.keeping(folder))
    }
}
