import Conduit
import Foundation
import FoundationAdditions
import Images

/// A consumer's request as a message to the provider: the class that it can use, and options.
///
/// Only classes that both sides know are sent, by names that this protocol defines. For any other class, the provider's
/// handler gets `nil`. Options are sent only if a property list can contain them, except for the preferred size of an
/// image.
struct ItemRequestMessage: Message {
    private enum ClassName: Int, MessageValue {
        case data = 0
        case string = 1
        case url = 2
        case attributedString = 3
        case dictionary = 4
        case array = 5
        case image = 6

        static let all: [(name: ClassName, value: AnyClass)] = [
            (.data, NSData.self), (.string, NSString.self), (.url, NSURL.self),
            (.attributedString, NSAttributedString.self), (.dictionary, NSDictionary.self), (.array, NSArray.self),
            (.image, UIImage.self),
        ]
    }

    private let expectedClass: ClassName?
    /// CBOR, see ``PropertyListItem``; `nil` without options.
    private let options: Data?
    private let imageSize: ImageSize?

    /// The maximum number of bytes of options. Larger options are not sent, because options are hints.
    private static let mostBytes = 4 << 10

    init(_ request: ItemRequest) {
        expectedClass = request.expectedClass.flatMap { wanted in
            ClassName.all.first { $0.value == wanted.type }?.name
        }
        let given = request.options?.value
        imageSize = given?[NSItemProviderPreferredImageSizeKey].flatMap(ImageSize.init)
        options = given.map { given in
            var list: [String: Any] = [:]
            for (key, value) in given {
                if let key = key as? String, PropertyListItem.encode(value) != nil { list[key] = value }
            }
            let encoded = PropertyListItem.encode(list)?.encoded ?? []
            return encoded.count <= Self.mostBytes ? Data(encoded) : Data()
        }
    }

    /// The request for the provider's handler.
    var request: ItemRequest {
        let wanted = ClassName.all.first { $0.name == expectedClass }.map { SendableType($0.value) }
        guard let options else { return ItemRequest(expectedClass: wanted, options: nil) }
        // The compiler does not see that a dictionary of Foundation is one of Swift.
        let list: Any? = PropertyListItem.decode(options)
        var given = list as? [AnyHashable: Any] ?? [:]
        if let imageSize { given[NSItemProviderPreferredImageSizeKey] = imageSize.value }
        return ItemRequest(expectedClass: wanted, options: Disconnected(given))
    }

    init(from decoder: inout MessageDecoder) throws(MessageError) {
        expectedClass = try decoder.decodeIfPresent(forKey: 0)
        options = try decoder.contains(key: 1) ? try decoder.decodeBytes(forKey: 1) { Data($0) } : nil
        imageSize = try decoder.decodeIfPresent(forKey: 2)
    }

    func encode(to encoder: inout MessageEncoder) {
        encoder.encodeIfPresent(expectedClass, forKey: 0)
        options?.withUnsafeBytes { encoder.encode(bytes: $0, forKey: 1) }
        encoder.encodeIfPresent(imageSize, forKey: 2)
    }
}

/// The value of `NSItemProviderPreferredImageSizeKey`, which a property list cannot contain.
private struct ImageSize: Message {
    private let width: Double
    private let height: Double
    /// Whether the size was given as an `NSValue`.
    private let isBoxed: Bool

    init?(_ value: Any) {
        guard let size = value as? CGSize ?? (value as? NSValue)?.sizeValue else { return nil }
        (width, height) = (Double(size.width), Double(size.height))
        isBoxed = !(value is CGSize)
    }

    var value: Any {
        let size = CGSize(width: width, height: height)
        return isBoxed ? NSValue(size: size) : size
    }

    init(from decoder: inout MessageDecoder) throws(MessageError) {
        width = try decoder.decode(forKey: 0)
        height = try decoder.decode(forKey: 1)
        isBoxed = try decoder.decode(forKey: 2)
    }

    func encode(to encoder: inout MessageEncoder) {
        encoder.encode(width, forKey: 0)
        encoder.encode(height, forKey: 1)
        encoder.encode(isBoxed, forKey: 2)
    }
}
