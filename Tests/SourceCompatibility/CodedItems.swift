// swift-format-ignore-file

import Foundation
import UniformTypeIdentifiers

/// Items as `NSSecureCoding` values, both provided and loaded.
enum CodedItems {
    static func providers(_ url: URL, _ text: String) -> [NSItemProvider] {
        return [
            NSItemProvider(item: url as NSSecureCoding?, typeIdentifier: kUTTypeURL as String),
            NSItemProvider(item: url as NSSecureCoding, typeIdentifier: "public.url"),
            NSItemProvider(item: text as NSSecureCoding?, typeIdentifier: kUTTypePlainText as String),
            NSItemProvider(item: NSString(string: text), typeIdentifier: UTType.text.identifier),
            NSItemProvider(item: Data(text.utf8) as NSData, typeIdentifier: UTType.utf8PlainText.identifier),
            NSItemProvider(item: ["a": [text]] as NSDictionary, typeIdentifier: String(kUTTypePropertyList)),
            NSItemProvider(item: nil, typeIdentifier: nil),
        ]
    }

    /// Describes a value of an unknown class.
    static func describe(_ item: NSSecureCoding?) -> String {
        switch item {
        case let url as URL: return "url \(url.absoluteString)"
        case let text as String: return "text \(text)"
        case let data as Data: return "data \(data.count)"
        case let image as UIImage: return "image \(image.size.width) \(image.scale)"
        case let dictionary as [String: Any]: return "dictionary \(dictionary.keys.sorted())"
        case nil: return "nothing"
        default: return "unknown"
        }
    }

    /// Returns the URL of a file dropped from a desktop program, which is loaded as data.
    static func fileURL(_ item: NSSecureCoding?) -> URL? {
        if let data = item as? Data { return URL(dataRepresentation: data, relativeTo: nil) }
        if let data = item as? NSData { return NSURL(absoluteURLWithDataRepresentation: data as Data, relativeTo: nil) as URL }
        return item as? URL
    }

    /// Returns plain text, which is loaded as a string, as data or as a file.
    static func text(_ item: NSSecureCoding?) -> String? {
        if let text = item as? String { return text }
        if let text = item as? NSString { return text as String }
        if let text = item as? NSAttributedString { return text.string }
        if let data = item as? Data { return String(data: data, encoding: .utf8) }
        if let url = item as? URL, url.isFileURL { return try? String(contentsOf: url, encoding: .utf8) }
        return nil
    }

    static func promised(_ text: String) -> NSItemProvider {
        let provider = NSItemProvider()
        provider.registerItem(forTypeIdentifier: kUTTypeUTF8PlainText as String) { completionHandler, expectedClass, options in
            completionHandler?(text as NSSecureCoding, nil)
        }
        provider.previewImageHandler = { completionHandler, expectedClass, options in
            completionHandler?(nil, NSError(domain: NSItemProvider.errorDomain, code: NSItemProvider.ErrorCode.itemUnavailableError.rawValue, userInfo: nil))
        }
        return provider
    }

    /// Whether the error has the one code that programs distinguish from others.
    static func isCoercionFailure(_ error: Error?) -> Bool {
        guard let error = error as NSError? else { return false }
        return error.domain == NSItemProvider.errorDomain && NSItemProvider.ErrorCode(rawValue: error.code) == .unavailableCoercionError
    }
}
