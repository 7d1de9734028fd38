import FileCoordination
import Foundation
import FoundationAdditions
import Images
import UniformTypeIdentifiers

/// An item of `registerItem` and `loadItem`: an object of a class that can be coded.
///
/// Sendable because a provider must not change an item after passing it on. The compiler does not check this, as in
/// Apple's declaration of the handlers. A consumer gets the stored object itself.
package struct ItemValue: @unchecked Sendable {
    package let object: any NSSecureCoding

    package init(_ object: any NSSecureCoding) { self.object = object }

    /// Creates an item from any value; `nil` if the value cannot be coded. A Swift string, URL or data becomes a coding
    /// object by bridging.
    package init?(boxing value: Any) {
        guard let object = (value as AnyObject) as? any NSSecureCoding else { return nil }
        self.object = object
    }

    /// The type under which an item is offered if the client names no type; `nil` if the object has no type of its own.
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

/// A consumer's request by `loadItem`.
struct ItemRequest: Sendable {
    /// The class that the consumer can use; `nil` for any.
    let expectedClass: SendableType<AnyClass>?
    /// The options of this load. They may be passed to another thread, because the caller of `loadItem` does not use
    /// them any more.
    let options: Disconnected<[AnyHashable: Any]>?
}
