import Foundation
import Images
import UniformTypeIdentifiers

/// Images are offered in their own format, then as PNG and JPEG, and read from every known format.
extension UIImage: NSItemProviderReading, NSItemProviderWriting {
    private static let writableFormats = [ImageFormat.png, .jpeg]

    /// The types that every image is written as: `public.png`, then `public.jpeg`.
    public static var writableTypeIdentifiersForItemProvider: [String] { writableFormats.map(\.type.identifier) }

    /// The image's own format, then PNG and JPEG.
    public var writableTypeIdentifiersForItemProvider: [String] {
        ([header.format] + Self.writableFormats.filter { $0 != header.format }).map(\.type.identifier)
    }

    /// Every known format, best first, and then any other type of image.
    public static var readableTypeIdentifiersForItemProvider: [String] {
        ImageFormat.allCases.map(\.type.identifier) + [UTType.heif.identifier, UTType.image.identifier]
    }

    /// Writes the image in the format of a type. In the image's own format, the original bytes are written.
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

    /// Creates an image from its bytes, which reveal the format. Throws `unavailableCoercionError` for other bytes.
    public static func object(withItemProviderData data: Data, typeIdentifier: String) throws -> Self {
        guard let image = UIImage(data: data) as? Self else {
            throw ItemProviderError.cannotCoerce(to: "\(Self.self)", from: typeIdentifier)
        }
        return image
    }
}
