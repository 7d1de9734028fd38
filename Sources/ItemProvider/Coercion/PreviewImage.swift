import Foundation
import Images
import LinuxSystem
import UniformTypeIdentifiers

/// A thumbnail of an item.
enum PreviewImage {
    /// The length of the longer side in pixels, if no size is requested.
    private static let usualLength: CGFloat = 256

    /// Returns the size that a load's options request, or the usual size.
    static func size(in options: [AnyHashable: Any]?) -> CGSize {
        let usual = CGSize(width: usualLength, height: usualLength)
        guard let value = options?[NSItemProviderPreferredImageSizeKey] else { return usual }
        let size = value as? CGSize ?? (value as? NSValue)?.sizeValue ?? usual
        return size.width > 0 && size.height > 0 ? size : usual
    }

    /// Checks the result of a client's handler, which may be data, a file's URL or an image.
    static func checked(_ item: any NSSecureCoding) throws -> ItemValue {
        let isKnown = item is NSData || item is UIImage || (item as? NSURL)?.isFileURL == true
        guard isKnown else { throw ItemProviderError.unexpectedClass(of: item, expected: UIImage.self) }
        return ItemValue(item)
    }

    /// Creates a thumbnail from the first representation that is an image. The thumbnail is at most as large as
    /// requested, and not larger than the image.
    ///
    /// - Returns: a function that cancels the load, if there is one.
    @discardableResult
    static func make(
        of promise: ItemPromise, fitting size: CGSize,
        completion: @escaping @Sendable (Result<ItemValue, any Error>) -> Void
    ) -> (@Sendable () -> Void)? {
        guard let representation = promise.representation(conformingTo: UTType.image.identifier) else {
            let registered = promise.representations.map(\.typeIdentifier)
            let error = ItemProviderError.noRepresentation(of: UTType.image.identifier, registered: registered)
            HandlerThreads.shared.run { completion(.failure(error)) }
            return nil
        }
        // The image is loaded as data, because a large file is then mapped, and only the parts that the decoder needs
        // are read.
        let progress = LoadOperation.start(representation, of: promise, as: .data) { result in
            completion(
                result.flatMap { $0.asData }.flatMap { data in
                    Result {
                        do throws(ImageError) {
                            return ItemValue(try UIImage(encoded: data).thumbnail(fitting: size))
                        } catch {
                            throw ItemProviderError.make(
                                .unavailableCoercionError, "The item has no preview", reason: error.description,
                                underlying: error)
                        }
                    }
                })
        }
        return { progress.cancel() }
    }
}
