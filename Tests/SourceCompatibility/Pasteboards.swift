// swift-format-ignore-file

import Foundation
import MobileCoreServices
import UniformTypeIdentifiers

/// The ways in which programs use a pasteboard, which is mostly the general one.
struct Pasteboards {
    var pasteboard = UIPasteboard.general

    func copy(_ text: String) {
        pasteboard.string = text
    }

    func copyOnce(_ password: String) {
        pasteboard.setItems([[UTType.utf8PlainText.identifier: password]], options: [
            .localOnly: true,
            .expirationDate: Date().addingTimeInterval(60),
        ])
    }

    func copyRich(_ html: String, _ text: String) {
        pasteboard.items = [[kUTTypeHTML as String: Data(html.utf8), kUTTypeUTF8PlainText as String: text]]
        pasteboard.addItems([[kUTTypeURL as String: URL(string: "https://example.org")!]])
    }

    func copy(_ provider: NSItemProvider) {
        pasteboard.setItemProviders([provider], localOnly: true, expirationDate: nil)
    }

    func copy(_ image: UIImage) {
        pasteboard.image = image
    }

    func copy(data: Data, type: UTType) {
        pasteboard.setData(data, forPasteboardType: type.identifier)
    }

    func paste() -> String? {
        if pasteboard.hasImages, let image = pasteboard.image { return "image \(image.size.width)" }
        if pasteboard.hasURLs { return pasteboard.url?.absoluteString }
        guard pasteboard.hasStrings else { return nil }
        return pasteboard.string?.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    func html() -> String? {
        guard pasteboard.contains(pasteboardTypes: [kUTTypeHTML as String]),
            let data = pasteboard.data(forPasteboardType: kUTTypeHTML as String)
        else { return nil }
        return String(data: data, encoding: .utf8)
    }

    func clear() {
        pasteboard.items = []
    }

    func watch(_ changed: @escaping @Sendable (Int) -> Void) -> NSObjectProtocol {
        return NotificationCenter.default.addObserver(forName: UIPasteboard.changedNotification, object: nil, queue: nil) { _ in
            changed(1)
        }
    }

    static func named(_ name: String) -> UIPasteboard? {
        UIPasteboard(name: UIPasteboard.Name(rawValue: name), create: true)
    }
}
