import FileCoordination
import Foundation
import Images
import UniformTypeIdentifiers

/// An item of the coercing interface: an object of a class that can be coded.
///
/// Sendable as the handlers that hand it on are in Apple's declaration, which leaves it unchecked: whoever gives an item away
/// must not change it any more, and a consumer gets what is stored.
package struct ItemValue: @unchecked Sendable {
    package let object: any NSSecureCoding

    package init(_ object: any NSSecureCoding) { self.object = object }

    /// An item from any value. A Swift string, URL or data is no coding object until it is bridged to one.
    package init?(boxing value: Any) {
        guard let object = (value as AnyObject) as? any NSSecureCoding else { return nil }
        self.object = object
    }

    /// The type under which an item is offered when nobody named one; `nil` for an object that has none of its own.
    var type: UTType? {
        switch object {
        case let url as NSURL: url.isFileURL ? .fileURL : .url
        case is NSString: .utf8PlainText
        case is NSAttributedString: UTType(AttributedText.typeIdentifier) ?? .rtf
        case is NSData: .data
        case let image as UIImage: image.header.format.type
        case let wrapper as FileWrapper: wrapper.isDirectory ? .folder : .data
        case is NSDictionary, is NSArray, is NSNumber, is NSDate: .propertyList
        default: nil
        }
    }
}

/// What a consumer of the coercing interface asks for.
struct ItemRequest: Sendable {
    /// The class that the consumer can use; `nil` when it takes any.
    let expectedClass: SharedClass?
    let options: SharedOptions?
}

/// A class on its way to a load handler. Sendable because a class object has no state of its own.
struct SharedClass: @unchecked Sendable {
    let value: AnyClass
}

/// The options of one load on their way to its handler. Sendable because a dictionary is a value, and what is in it is handed
/// over: the consumer's call has no further use for it.
struct SharedOptions: @unchecked Sendable {
    let value: [AnyHashable: Any]
}
