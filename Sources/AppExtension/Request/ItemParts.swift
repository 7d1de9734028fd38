import Conduit
import Foundation
import ItemProvider

/// What of an extension item is data, in the form in which it crosses and is archived.
struct ItemParts: Sendable {
    /// Attributed text in the form of item providers.
    let title: Data?
    /// Likewise.
    let text: Data?
    /// CBOR: what of the user info a property list can hold, the three keys of properties left out.
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

    /// Gives an item these parts. What is not in the expected form is left out.
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
