import Foundation
import ItemProvider

/// In an extension item's `userInfo`: its `attributedTitle`.
public let NSExtensionItemAttributedTitleKey = "NSExtensionItemAttributedTitleKey"
/// In an extension item's `userInfo`: its `attributedContentText`.
public let NSExtensionItemAttributedContentTextKey = "NSExtensionItemAttributedContentTextKey"
/// In an extension item's `userInfo`: its `attachments`.
public let NSExtensionItemAttachmentsKey = "NSExtensionItemAttachmentsKey"

/// One thing that a host hands to an extension, or gets back from it: a title, a text, and attachments that are loaded on demand.
///
/// The attachments are parallel pieces of content, not several forms of one. The properties are kept in ``userInfo``, under
/// the three keys; what is set there is seen in them.
///
/// Source: Foundation, `NSExtensionItem.h`.
open class NSExtensionItem: NSObject, NSCopying, NSSecureCoding {
    /// Everything that is known of the item.
    open var userInfo: [AnyHashable: Any]?

    /// An item with nothing in it.
    public override init() { super.init() }

    /// The item's title.
    open var attributedTitle: NSAttributedString? {
        get { userInfo?[NSExtensionItemAttributedTitleKey] as? NSAttributedString }
        set { set(newValue?.copy(), NSExtensionItemAttributedTitleKey) }
    }

    /// The item's text, such as what a person wrote beside a shared picture.
    open var attributedContentText: NSAttributedString? {
        get { userInfo?[NSExtensionItemAttributedContentTextKey] as? NSAttributedString }
        set { set(newValue?.copy(), NSExtensionItemAttributedContentTextKey) }
    }

    /// The pieces of content.
    open var attachments: [NSItemProvider]? {
        get { userInfo?[NSExtensionItemAttachmentsKey] as? [NSItemProvider] }
        set { set(newValue, NSExtensionItemAttachmentsKey) }
    }

    private func set(_ value: Any?, _ key: String) {
        if value == nil, userInfo == nil { return }
        var info = userInfo ?? [:]
        info[key] = value
        userInfo = info
    }

    // MARK: - Copying and coding

    /// An item with the same contents; the attachments are the same objects.
    open func copy(with zone: NSZone? = nil) -> Any {
        let copy = NSExtensionItem()
        copy.userInfo = userInfo
        return copy
    }

    /// A copy, see ``copy(with:)``.
    open override func copy() -> Any { copy(with: nil) }

    /// `true`.
    open class var supportsSecureCoding: Bool { true }

    /// Writes the title, the text and what else a property list can hold. Attachments are promises, and are not archived.
    open func encode(with coder: NSCoder) {
        let parts = ItemParts(self)
        coder.encode(parts.title as NSData?, forKey: "title")
        coder.encode(parts.text as NSData?, forKey: "text")
        coder.encode(parts.userInfo as NSData?, forKey: "userInfo")
    }

    /// Reads an archived item.
    public required init?(coder: NSCoder) {
        super.init()
        func data(_ key: String) -> Data? {
            coder.decodeObject(of: NSData.self, forKey: key).map { Data(referencing: $0) }
        }
        ItemParts(title: data("title"), text: data("text"), userInfo: data("userInfo")).fill(self)
    }
}
