import Foundation
import PropertyLists
import UniformTypeIdentifiers

/// URLs are offered as `public.url`. File URLs are offered as `public.file-url` first.
///
/// The data is the URL's own bytes, as `URL(dataRepresentation:relativeTo:)` reads them.
extension NSURL: NSItemProviderReading, NSItemProviderWriting {
    /// The type that every URL is written as: `public.url`.
    public static var writableTypeIdentifiersForItemProvider: [String] { [UTType.url.identifier] }

    /// The types that this URL is written as: `public.url`, and before it `public.file-url` for the URL of a file.
    public var writableTypeIdentifiersForItemProvider: [String] {
        isFileURL ? [UTType.fileURL.identifier, UTType.url.identifier] : [UTType.url.identifier]
    }

    /// The types from which a URL is read: `public.file-url`, then any URL.
    public static var readableTypeIdentifiersForItemProvider: [String] {
        [UTType.fileURL.identifier, UTType.url.identifier]
    }

    /// Writes the absolute URL as bytes.
    public func loadData(
        withTypeIdentifier typeIdentifier: String,
        forItemProviderCompletionHandler completionHandler: @escaping @Sendable (Data?, (any Error)?) -> Void
    ) -> Progress? {
        completionHandler((self as URL).absoluteURL.dataRepresentation, nil)
        return nil
    }

    /// Creates a URL from its bytes, or from the property list (`[url, base, …]`) that Apple's systems write. Throws
    /// `unavailableCoercionError` for other bytes.
    public static func object(withItemProviderData data: Data, typeIdentifier: String) throws -> Self {
        guard let url = parse(data), let result = url as NSURL as? Self else {
            throw ItemProviderError.cannotCoerce(to: "\(Self.self)", from: typeIdentifier)
        }
        return result
    }

    private static func parse(_ data: Data) -> URL? {
        // Only binary lists are read, because Foundation would take other bytes for a property list of the oldest,
        // textual form.
        if ForeignPropertyList.isBinary(data) {
            let list = try? ForeignPropertyList.read(data)
            let strings = (list as? [Any])?.map { $0 as? String ?? "" } ?? (list as? String).map { [$0] }
            guard let strings, let text = strings.first, !text.isEmpty else { return nil }
            let base = strings.dropFirst().first.flatMap { $0.isEmpty ? nil : URL(string: $0) }
            return URL(string: text, relativeTo: base)
        }
        // `URL(dataRepresentation:)` is not used, because it accepts any bytes as a relative URL.
        guard !data.isEmpty, let text = String(data: data, encoding: .utf8) else { return nil }
        return URL(string: text.trimmingCharacters(in: .whitespacesAndNewlines))
    }
}
