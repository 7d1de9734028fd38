// A share extension that files web pages, text, images and PDFs into the folder Documents of its container.
import Foundation
import Purvey

final class FileAwayRequestHandler: NSObject, NSExtensionRequestHandling {
    /// What is filed, the most exact first: a PDF is also data, and a web page's address is also text to some.
    private static let kinds: [UTType] = [.pdf, .image, .url, .text]

    func beginRequest(with context: NSExtensionContext) {
        let items = context.inputItems as? [NSExtensionItem] ?? []
        let attachments = items.flatMap { $0.attachments ?? [] }
        let filed = FiledNames()
        let group = DispatchGroup()
        for provider in attachments {
            guard let kind = Self.kinds.first(where: { provider.hasItemConformingToTypeIdentifier($0.identifier) })
            else {
                continue
            }
            let name = provider.suggestedName
            group.enter()
            // An attachment may be the URL of a page, text, data or the URL of a file: whatever the host had.
            provider.loadItem(forTypeIdentifier: kind.identifier, options: nil) { item, error in
                defer { group.leave() }
                do {
                    if let error { throw error }
                    filed.add(try Self.file(item, kind, name))
                } catch {
                    filed.add("(not filed: \(error.localizedDescription))")
                }
            }
        }
        group.notify(queue: .global()) {
            let answer = NSExtensionItem()
            answer.attributedContentText = NSAttributedString(
                string: filed.names.isEmpty
                    ? "Nothing to file" : "Filed: " + filed.names.sorted().joined(separator: ", "))
            context.completeRequest(returningItems: [answer])
        }
    }

    private static func file(_ item: NSSecureCoding?, _ kind: UTType, _ name: String?) throws -> String {
        let documents = FileManager.default.homeDirectoryForCurrentUser.appendingPathComponent("Documents")
        // A host may call its items what it likes: no other folder is meant by it, and no hidden file.
        let name = (name ?? kind.localizedDescription ?? "Item").replacingOccurrences(of: "/", with: "_")
        var target = documents.appendingPathComponent(name.hasPrefix(".") ? "_" + name.dropFirst() : name)
        var contents = Data()
        // An address comes as it is, or as its bytes.
        let address =
            kind == .url ? (item as Any as? Data).flatMap { URL(dataRepresentation: $0, relativeTo: nil) } : nil
        switch address ?? item as Any {
        case let url as URL where url.isFileURL && kind != .url:
            contents = try Data(contentsOf: url)
        case let url as URL:
            contents = Data("[InternetShortcut]\nURL=\(url.absoluteString)\n".utf8)
            target = documents.appendingPathComponent((url.host ?? name) + ".url")
        case let text as String:
            contents = Data(text.utf8)
            if target.pathExtension.isEmpty { target.appendPathExtension("txt") }
        case let data as Data:
            contents = data
        case let image as UIImage:
            contents = image.pngData() ?? Data()
        default:
            throw CocoaError(.fileReadUnknown)
        }
        if target.pathExtension.isEmpty { target.appendPathExtension(for: kind) }
        let ending = target.pathExtension
        let stem = target.deletingPathExtension().lastPathComponent
        // Nothing that was filed before is replaced.
        for number in 2... {
            do {
                try contents.write(to: target, options: .withoutOverwriting)
                break
            } catch CocoaError.fileWriteFileExists {
                target = documents.appendingPathComponent("\(stem) \(number).\(ending)")
            }
        }
        return target.lastPathComponent
    }
}

/// The names of what was filed, collected from several threads.
final class FiledNames {
    private let lock = NSLock()
    private var all: [String] = []

    var names: [String] { lock.withLock { all } }

    func add(_ name: String) { lock.withLock { all.append(name) } }
}

NSExtensionMain()
