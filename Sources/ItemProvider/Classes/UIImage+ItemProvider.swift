import Foundation
import Images
import UniformTypeIdentifiers

/// Pictures are offered in the format they have, then as PNG and JPEG, and read from every format that is known.
extension UIImage: NSItemProviderReading, NSItemProviderWriting {
    private static let writableFormats = [ImageFormat.png, .jpeg]

    /// `public.png`, `public.jpeg`.
    public static var writableTypeIdentifiersForItemProvider: [String] { writableFormats.map(\.type.identifier) }

    /// The picture's own format first.
    public var writableTypeIdentifiersForItemProvider: [String] {
        ([header.format] + Self.writableFormats.filter { $0 != header.format }).map(\.type.identifier)
    }

    /// Every format that is known, best first, and then whatever else says that it is a picture.
    public static var readableTypeIdentifiersForItemProvider: [String] {
        ImageFormat.allCases.map(\.type.identifier) + [UTType.heif.identifier, UTType.image.identifier]
    }

    /// The picture in the format of a type; the bytes it was made of where that is its own.
    public func loadData(
        withTypeIdentifier typeIdentifier: String,
        forItemProviderCompletionHandler completionHandler: @escaping @Sendable (Data?, (any Error)?) -> Void
    ) -> Progress? {
        do {
            let format = UTType(typeIdentifier).flatMap { ImageFormat($0) } ?? header.format
            completionHandler(try data(as: format), nil)
        } catch {
            completionHandler(nil, error)
        }
        return nil
    }

    /// A picture from its bytes, whose format is told from themselves; throws `unavailableCoercionError` for other bytes.
    public static func object(withItemProviderData data: Data, typeIdentifier: String) throws -> Self {
        guard let image = UIImage(data: data) as? Self else {
            throw ItemProviderError.cannotCoerce(to: "\(Self.self)", from: typeIdentifier)
        }
        return image
    }
}
