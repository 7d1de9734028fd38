import Foundation
import UniformTypeIdentifiers

/// Attributed strings are transferred with their attributes between processes that use this package, and as plain text
/// to other processes.
extension NSAttributedString: NSItemProviderReading, NSItemProviderWriting {
    /// The types that the string is written as: `org.purvey.attributed-string`, then `public.utf8-plain-text`.
    public static var writableTypeIdentifiersForItemProvider: [String] {
        [AttributedText.typeIdentifier, UTType.utf8PlainText.identifier]
    }

    /// The types from which a string is read: `org.purvey.attributed-string`, then any plain text.
    public static var readableTypeIdentifiersForItemProvider: [String] {
        [AttributedText.typeIdentifier] + PlainText.readableTypes
    }

    /// Writes the string with its attributes, or its text in UTF-8.
    public func loadData(
        withTypeIdentifier typeIdentifier: String,
        forItemProviderCompletionHandler completionHandler: @escaping @Sendable (Data?, (any Error)?) -> Void
    ) -> Progress? {
        if TypeIdentifier.areEqual(typeIdentifier, AttributedText.typeIdentifier) {
            do {
                completionHandler(try AttributedText.encode(self), nil)
            } catch {
                completionHandler(nil, error)
            }
        } else {
            completionHandler(Data(string.utf8), nil)
        }
        return nil
    }

    /// Creates an attributed string from data of the type `org.purvey.attributed-string`, or from plain text. Throws
    /// `unavailableCoercionError` for other bytes.
    public static func object(withItemProviderData data: Data, typeIdentifier: String) throws -> Self {
        let text: NSMutableAttributedString?
        if TypeIdentifier.areEqual(typeIdentifier, AttributedText.typeIdentifier) {
            text = AttributedText.decode(data)
        } else {
            text = PlainText.decode(data, typeIdentifier: typeIdentifier).map { NSMutableAttributedString(string: $0) }
        }
        // The result is immutable unless the caller asks for the mutable class.
        guard let text, let result = (NSAttributedString(attributedString: text) as? Self) ?? (text as? Self) else {
            throw ItemProviderError.cannotCoerce(to: "\(Self.self)", from: typeIdentifier)
        }
        return result
    }
}
