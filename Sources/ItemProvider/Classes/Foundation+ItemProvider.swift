// Two classes in one file, because their conformances are short.
import Foundation
import UniformTypeIdentifiers

/// Strings are offered as UTF-8 plain text and read from any plain text.
extension NSString: NSItemProviderReading, NSItemProviderWriting {
    /// The type that strings are written as: `public.utf8-plain-text`.
    public static var writableTypeIdentifiersForItemProvider: [String] { [UTType.utf8PlainText.identifier] }

    /// Plain text in UTF-8, UTF-16 or an unspecified encoding, and last any text.
    public static var readableTypeIdentifiersForItemProvider: [String] { PlainText.readableTypes }

    /// Writes the string in UTF-8.
    public func loadData(
        withTypeIdentifier typeIdentifier: String,
        forItemProviderCompletionHandler completionHandler: @escaping @Sendable (Data?, (any Error)?) -> Void
    ) -> Progress? {
        completionHandler(Data((self as String).utf8), nil)
        return nil
    }

    /// Creates a string from text in the encoding of its type. Throws `unavailableCoercionError` for other bytes.
    public static func object(withItemProviderData data: Data, typeIdentifier: String) throws -> Self {
        let text = PlainText.decode(data, typeIdentifier: typeIdentifier)
        // Foundation's strings have no required initializer from a string, so each class is named.
        guard let text, let string = (NSString(string: text) as? Self) ?? (NSMutableString(string: text) as? Self)
        else {
            throw ItemProviderError.cannotCoerce(to: "\(Self.self)", from: typeIdentifier)
        }
        return string
    }
}

/// Data without a type of its own is offered as `public.data` and read from any type that has bytes.
extension NSData: NSItemProviderReading, NSItemProviderWriting {
    /// The type that data is written as: `public.data`.
    public static var writableTypeIdentifiersForItemProvider: [String] { [UTType.data.identifier] }

    /// Data of any kind; a directory is read as its zip archive.
    public static var readableTypeIdentifiersForItemProvider: [String] {
        [UTType.data.identifier, UTType.item.identifier]
    }

    /// Writes the bytes.
    public func loadData(
        withTypeIdentifier typeIdentifier: String,
        forItemProviderCompletionHandler completionHandler: @escaping @Sendable (Data?, (any Error)?) -> Void
    ) -> Progress? {
        completionHandler(Data(referencing: self), nil)
        return nil
    }

    /// Creates data from the unchanged bytes.
    public static func object(withItemProviderData data: Data, typeIdentifier: String) throws -> Self {
        let copies: [NSData] = Self.self is NSMutableData.Type ? [NSMutableData(data: data)] : [data as NSData]
        guard let result = copies.first as? Self else {
            throw ItemProviderError.cannotCoerce(to: "\(Self.self)", from: typeIdentifier)
        }
        return result
    }
}
