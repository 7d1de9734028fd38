import Conduit
import Foundation
import FoundationAdditions
import Images

/// A consumer's request as a message to the provider: the class that the consumer can use, and options.
///
/// Only classes that both sides know are sent, by names that this protocol defines. For any other class, the provider's
/// handler gets `nil`. Options are sent only if a property list can contain them, except for the preferred size of an
/// image.
struct ItemRequestMessage: SchemaMessage {
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
    /// The options as CBOR, see ``PropertyListItem``; `nil` if the consumer gave none.
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
        // Without `Any`, the compiler would not accept the cast of Foundation's class to a dictionary of Swift.
        let list: Any? = PropertyListItem.decode(options)
        var given = list as? [AnyHashable: Any] ?? [:]
        if let imageSize { given[NSItemProviderPreferredImageSizeKey] = imageSize.value }
        return ItemRequest(expectedClass: wanted, options: Disconnected(given))
    }

    private init(expectedClass: ClassName?, options: Data?, imageSize: ImageSize?) {
        self.expectedClass = expectedClass
        self.options = options
        self.imageSize = imageSize
    }

    static let schema = Schema(
        Self.init(expectedClass:options:imageSize:), Field(0, \.expectedClass), Field(1, \.options),
        Field(2, \.imageSize))
}

/// The value of `NSItemProviderPreferredImageSizeKey`, which a property list cannot contain.
private struct ImageSize: SchemaMessage {
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

    private init(width: Double, height: Double, isBoxed: Bool) {
        self.width = width
        self.height = height
        self.isBoxed = isBoxed
    }

    static let schema = Schema(
        Self.init(width:height:isBoxed:), Field(0, \.width), Field(1, \.height), Field(2, \.isBoxed))
}
