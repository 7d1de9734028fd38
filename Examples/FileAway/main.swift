// A share extension that files web pages, text, images and PDFs into the folder Documents of its container.
import Foundation
import Purvey

final class FileAwayRequestHandler: NSObject, NSExtensionRequestHandling {
    /// The types that are filed, the most specific first, because a PDF is also data, and some programs also offer a
    /// web page's address as text.
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
            // An attachment may be the URL of a page, text, data or the URL of a file, depending on the host.
            provider.loadItem(forTypeIdentifier: kind.identifier, options: nil) { item, error in
                defer { group.leave() }
                do {
                    if let error { throw error }
                    filed.add(try Self.file(item, kind, name))
                } catch {
                    filed.fail(error)
                }
            }
        }
        group.notify(queue: .global()) {
            if filed.names.isEmpty, let error = filed.errors.first { return context.cancelRequest(withError: error) }
            let notFiled = filed.errors.map { "(not filed: \($0.localizedDescription))" }
            let answer = NSExtensionItem()
            answer.attributedContentText = NSAttributedString(
                string: filed.names.isEmpty
                    ? "Nothing to file" : "Filed: " + (filed.names.sorted() + notFiled).joined(separator: ", "))
            context.completeRequest(returningItems: [answer])
        }
    }

    private static func file(_ item: NSSecureCoding?, _ kind: UTType, _ name: String?) throws -> String {
        let documents = FileManager.default.homeDirectoryForCurrentUser.appendingPathComponent("Documents")
        // A name from the host must not contain a path to another directory, or hide the file.
        let name = (name ?? kind.localizedDescription ?? "Item").replacingOccurrences(of: "/", with: "_")
        var target = documents.appendingPathComponent(name.hasPrefix(".") ? "_" + name.dropFirst() : name)
        let contents: (URL) throws -> Void
        // An address may be a URL or its bytes.
        let address =
            kind == .url ? (item as Any as? Data).flatMap { URL(dataRepresentation: $0, relativeTo: nil) } : nil
        switch address ?? item as Any {
        case let url as URL where url.isFileURL && kind != .url:
            // The file may be large, so it is copied in pieces.
            contents = { target in try copy(url, to: target) }
        case let url as URL:
            contents = writing(Data("[InternetShortcut]\nURL=\(url.absoluteString)\n".utf8))
            target = documents.appendingPathComponent((url.host ?? name) + ".url")
        case let text as String:
            contents = writing(Data(text.utf8))
            if target.pathExtension.isEmpty { target.appendPathExtension("txt") }
        case let data as Data:
            contents = writing(data)
        case let image as UIImage:
            contents = writing(image.pngData() ?? Data())
        default:
            throw CocoaError(.fileReadUnknown)
        }
        if target.pathExtension.isEmpty { target.appendPathExtension(for: kind) }
        let ending = target.pathExtension
        let stem = target.deletingPathExtension().lastPathComponent
        // Existing files are not replaced.
        for number in 2... {
            do {
                try contents(target)
                break
            } catch CocoaError.fileWriteFileExists {
                target = documents.appendingPathComponent("\(stem) \(number).\(ending)")
            }
        }
        return target.lastPathComponent
    }

    private static func copy(_ source: URL, to target: URL) throws {
        let reader = try FileHandle(forReadingFrom: source)
        defer { try? reader.close() }
        try Data().write(to: target, options: .withoutOverwriting)
        do {
            let writer = try FileHandle(forWritingTo: target)
            defer { try? writer.close() }
            while let piece = try reader.read(upToCount: 1 << 20), !piece.isEmpty {
                try writer.write(contentsOf: piece)
            }
        } catch {
            try? FileManager.default.removeItem(at: target)
            throw error
        }
    }

    private static func writing(_ data: Data) -> (URL) throws -> Void {
        { target in try data.write(to: target, options: .withoutOverwriting) }
    }
}

/// The names of filed items and the errors of others, collected from several threads.
final class FiledNames {
    private let lock = NSLock()
    private var all: [String] = []
    private var failures: [any Error] = []

    var names: [String] { lock.withLock { all } }
    var errors: [any Error] { lock.withLock { failures } }

    func add(_ name: String) { lock.withLock { all.append(name) } }
    func fail(_ error: any Error) { lock.withLock { failures.append(error) } }
}

NSExtensionMain()
