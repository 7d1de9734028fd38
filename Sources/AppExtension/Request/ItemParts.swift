import Conduit
import Foundation
import ItemProvider

/// The title, text and user info of an extension item, encoded for messages and archives.
struct ItemParts: Sendable {
    /// The title as attributed text in the encoding of item providers.
    let title: Data?
    /// The text in the same encoding.
    let text: Data?
    /// The user info in CBOR. Values that a property list cannot contain are left out, and so are the title, the text
    /// and the attachments.
    let userInfo: Data?

    init(title: Data?, text: Data?, userInfo: Data?) {
        self.title = title
        self.text = text
        self.userInfo = userInfo
    }

    init(_ item: NSExtensionItem) {
        title = item.attributedTitle.flatMap { try? AttributedText.encode($0) }
        text = item.attributedContentText.flatMap { try? AttributedText.encode($0) }
        var pairs: [(key: CBORValue, value: CBORValue)] = []
        for (key, value) in item.userInfo ?? [:] {
            guard let key = key as? String, !Self.properties.contains(key), let value = PropertyListItem.encode(value)
            else { continue }
            pairs.append((.text(key), value))
        }
        userInfo = pairs.isEmpty ? nil : Data(CBORValue.map(pairs).encoded)
    }

    private static let properties: Set<String> = [
        NSExtensionItemAttributedTitleKey, NSExtensionItemAttributedContentTextKey, NSExtensionItemAttachmentsKey,
    ]

    /// Sets the title, text and user info of an item. Invalid values are left out.
    func fill(_ item: NSExtensionItem) {
        if let userInfo, let list = PropertyListItem.decode(userInfo) as? NSDictionary {
            var info: [AnyHashable: Any] = [:]
            for (key, value) in list { if let key = key as? String { info[key] = value } }
            item.userInfo = info
        }
        if let title { item.attributedTitle = AttributedText.decode(title) }
        if let text { item.attributedContentText = AttributedText.decode(text) }
    }
}
