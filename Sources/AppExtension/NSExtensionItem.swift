import Foundation
import ItemProvider

/// The key in an extension item's `userInfo` for its `attributedTitle`.
public let NSExtensionItemAttributedTitleKey = "NSExtensionItemAttributedTitleKey"
/// The key in an extension item's `userInfo` for its `attributedContentText`.
public let NSExtensionItemAttributedContentTextKey = "NSExtensionItemAttributedContentTextKey"
/// The key in an extension item's `userInfo` for its `attachments`.
public let NSExtensionItemAttachmentsKey = "NSExtensionItemAttachmentsKey"

/// An item that a host passes to an extension or receives from it: a title, a text, and attachments that are loaded on
/// demand.
///
/// The attachments are separate pieces of content, not alternative forms of one. The properties are stored in
/// ``userInfo`` under keys such as ``NSExtensionItemAttachmentsKey``, so that changes of ``userInfo`` change the
/// properties.
///
/// Source: Foundation, `NSExtensionItem.h`.
open class NSExtensionItem: NSObject, NSCopying, NSSecureCoding {
    /// All data of the item.
    open var userInfo: [AnyHashable: Any]?

    /// Creates an empty item.
    public override init() { super.init() }

    /// The item's title.
    open var attributedTitle: NSAttributedString? {
        get { userInfo?[NSExtensionItemAttributedTitleKey] as? NSAttributedString }
        set { set(newValue?.copy(), NSExtensionItemAttributedTitleKey) }
    }

    /// The item's text, such as the user's comment on a shared picture.
    open var attributedContentText: NSAttributedString? {
        get { userInfo?[NSExtensionItemAttributedContentTextKey] as? NSAttributedString }
        set { set(newValue?.copy(), NSExtensionItemAttributedContentTextKey) }
    }

    /// The attached pieces of content.
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

    /// Returns an item with the same contents. Both items have the same attachment objects.
    open func copy(with zone: NSZone? = nil) -> Any {
        let copy = NSExtensionItem()
        copy.userInfo = userInfo
        return copy
    }

    /// Returns a copy; see ``copy(with:)``.
    open override func copy() -> Any { copy(with: nil) }

    /// Whether secure coding is supported: `true`.
    open class var supportsSecureCoding: Bool { true }

    /// Archives the title, the text and all other data that a property list can contain. Attachments are not archived,
    /// because their contents are loaded only on demand.
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
