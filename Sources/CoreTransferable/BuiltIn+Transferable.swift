import Foundation
import ItemProvider
import UniformTypeIdentifiers

extension Data: Transferable {
    /// The representation as `public.data`, for export and import.
    public static var transferRepresentation: some TransferRepresentation {
        DataRepresentation(contentType: .data, exporting: { $0 }, importing: { $0 })
    }
}

extension String: Transferable {
    /// The representation as `public.utf8-plain-text`, for export and import.
    public static var transferRepresentation: some TransferRepresentation {
        DataRepresentation(
            contentType: .utf8PlainText, exporting: { Data($0.utf8) },
            importing: { data in try decoded(data, as: NSString.self, .utf8PlainText) as String })
    }
}

extension URL: Transferable {
    /// The representations: `public.file-url` for the URL of a file, then `public.url` for every URL. Both can be
    /// exported and imported.
    public static var transferRepresentation: some TransferRepresentation {
        DataRepresentation(
            contentType: .fileURL, exporting: { $0.absoluteURL.dataRepresentation },
            importing: { data in try decoded(data, as: NSURL.self, .fileURL) as URL }
        )
        .exportingCondition(\.isFileURL)
        DataRepresentation(
            contentType: .url, exporting: { $0.absoluteURL.dataRepresentation },
            importing: { data in try decoded(data, as: NSURL.self, .url) as URL })
    }
}

extension AttributedString: Transferable {
    /// The representations. The first is attributed text in the format that processes exchange with this package. It
    /// preserves links. The second is `public.utf8-plain-text`. Both can be exported and imported. Foundation on Linux
    /// has neither rich text nor other attributes that could be exported.
    public static var transferRepresentation: some TransferRepresentation {
        DataRepresentation(
            contentType: attributedText, exporting: { try await $0.itemData() },
            importing: { data in
                AttributedString(linksOf: try decoded(data, as: NSAttributedString.self, attributedText))
            })
        DataRepresentation(
            contentType: .utf8PlainText, exporting: { Data(String($0.characters).utf8) },
            importing: { data in AttributedString(try decoded(data, as: NSString.self, .utf8PlainText) as String) })
    }

    private static var attributedText: UTType {
        UTType(exportedAs: NSAttributedString.writableTypeIdentifiersForItemProvider[0])
    }

    private static let link = NSAttributedString.Key("NSLink")

    private func itemData() async throws -> Data {
        let text = NSMutableAttributedString(string: String(characters))
        var position = 0
        for run in runs {
            let length = String(characters[run.range]).utf16.count
            if let link = run.link {
                text.addAttribute(Self.link, value: link, range: NSRange(location: position, length: length))
            }
            position += length
        }
        let provider = NSItemProvider(object: text)
        return try await provider.loadDataRepresentation(for: Self.attributedText)
    }

    private init(linksOf text: NSAttributedString) {
        self.init()
        let whole = NSRange(location: 0, length: text.length)
        text.enumerateAttributes(in: whole, options: []) { attributes, range, _ in
            var piece = AttributedString(text.attributedSubstring(from: range).string)
            piece.link = attributes[Self.link] as? URL
            append(piece)
        }
    }
}

/// Decodes data in the same way as an item provider that loads an object of the class.
private func decoded<Object: NSItemProviderReading>(
    _ data: Data, as type: Object.Type, _ contentType: UTType
) throws -> Object {
    try type.object(withItemProviderData: data, typeIdentifier: contentType.identifier)
}
