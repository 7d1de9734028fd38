// swift-format-ignore-file

import Foundation
import UniformTypeIdentifiers

/// Copying and pasting as in programs for the Mac.
class ClipboardController: NSObject, NSPasteboardTypeOwner {
    let pasteboard: NSPasteboard
    var selection: String?
    private var lastChangeCount: Int

    init(pasteboard: NSPasteboard = .general) {
        self.pasteboard = pasteboard
        self.lastChangeCount = pasteboard.changeCount
        super.init()
    }

    func copyText(_ text: String) {
        pasteboard.clearContents()
        pasteboard.setString(text, forType: .string)
    }

    func copyFiles(_ urls: [URL]) -> Bool {
        pasteboard.clearContents()
        return pasteboard.writeObjects(urls as [NSURL])
    }

    func copyWithMarkup(_ text: String, html: String) {
        let item = NSPasteboardItem()
        item.setString(text, forType: .string)
        item.setString(html, forType: .html)
        pasteboard.clearContents()
        pasteboard.writeObjects([item])
    }

    func copyLater() {
        pasteboard.declareTypes([.string, NSPasteboard.PasteboardType("com.example.selection")], owner: self)
    }

    func pasteboard(_ sender: NSPasteboard, provideDataForType type: NSPasteboard.PasteboardType) {
        guard let selection = selection else { return }
        if type == .string {
            sender.setString(selection, forType: .string)
        } else {
            sender.setPropertyList(["selection": selection], forType: type)
        }
    }

    func pasteText() -> String? {
        return pasteboard.string(forType: .string)
    }

    func pasteFiles() -> [URL] {
        let options: [NSPasteboard.ReadingOptionKey: Any] = [
            .urlReadingFileURLsOnly: true,
            .urlReadingContentsConformToTypes: [UTType.plainText.identifier],
        ]
        guard pasteboard.canReadObject(forClasses: [NSURL.self], options: options) else { return [] }
        return pasteboard.readObjects(forClasses: [NSURL.self], options: options) as? [URL] ?? []
    }

    func pasteAnything() -> [String] {
        guard let objects = pasteboard.readObjects(forClasses: [NSURL.self, NSString.self], options: nil) else { return [] }
        return objects.map { object in
            switch object {
            case let url as URL: return url.absoluteString
            case let string as String: return string
            default: return "?"
            }
        }
    }

    var hasChanged: Bool {
        guard pasteboard.changeCount != lastChangeCount else { return false }
        lastChangeCount = pasteboard.changeCount
        return true
    }

    var kinds: [String] {
        guard let items = pasteboard.pasteboardItems else { return [] }
        return items.compactMap { $0.availableType(from: [.fileURL, .URL, .html, .string])?.rawValue }
    }
}

extension NSPasteboard.PasteboardType {
    static let row = NSPasteboard.PasteboardType("com.example.row")
}

/// A row of a table that is moved by drag and drop.
final class Row: NSObject, NSPasteboardWriting, NSPasteboardReading {
    let index: Int

    init(index: Int) {
        self.index = index
    }

    func writableTypes(for pasteboard: NSPasteboard) -> [NSPasteboard.PasteboardType] {
        return [.row, .string]
    }

    func pasteboardPropertyList(forType type: NSPasteboard.PasteboardType) -> Any? {
        switch type {
        case .row: return index
        case .string: return "Row \(index)"
        default: return nil
        }
    }

    static func readableTypes(for pasteboard: NSPasteboard) -> [NSPasteboard.PasteboardType] {
        return [.row]
    }

    static func readingOptions(forType type: NSPasteboard.PasteboardType, pasteboard: NSPasteboard) -> NSPasteboard.ReadingOptions {
        return .asPropertyList
    }

    init?(pasteboardPropertyList propertyList: Any, ofType type: NSPasteboard.PasteboardType) {
        guard let index = propertyList as? Int else { return nil }
        self.index = index
    }
}

/// A promise of an export, which is made when it is dropped.
class ExportController: NSObject, NSFilePromiseProviderDelegate {
    let contents: Data

    lazy var workQueue: OperationQueue = {
        let providerQueue = OperationQueue()
        providerQueue.qualityOfService = .userInitiated
        return providerQueue
    }()

    init(contents: Data) {
        self.contents = contents
    }

    func makePromise() -> NSFilePromiseProvider {
        let provider = NSFilePromiseProvider(fileType: UTType.png.identifier, delegate: self)
        provider.userInfo = ["name": "Export"]
        return provider
    }

    func filePromiseProvider(_ filePromiseProvider: NSFilePromiseProvider, fileNameForType fileType: String) -> String {
        let info = filePromiseProvider.userInfo as? [String: String]
        return (info?["name"] ?? "Untitled") + "." + (UTType(fileType)?.preferredFilenameExtension ?? "")
    }

    func filePromiseProvider(_ filePromiseProvider: NSFilePromiseProvider, writePromiseTo url: URL, completionHandler: @escaping (Error?) -> Void) {
        do {
            try contents.write(to: url)
            completionHandler(nil)
        } catch {
            completionHandler(error)
        }
    }

    func operationQueue(for filePromiseProvider: NSFilePromiseProvider) -> OperationQueue {
        return workQueue
    }
}

func receiveFiles(from pasteboard: NSPasteboard, at destination: URL, queue: OperationQueue, completion: @escaping @Sendable (URL?) -> Void) {
    let supportedClasses = [NSFilePromiseReceiver.self, NSURL.self] as [AnyClass]
    for object in pasteboard.readObjects(forClasses: supportedClasses) ?? [] {
        switch object {
        case let filePromiseReceiver as NSFilePromiseReceiver:
            filePromiseReceiver.receivePromisedFiles(atDestination: destination, options: [:], operationQueue: queue) { (fileURL, error) in
                completion(error == nil ? fileURL : nil)
            }
        case let fileURL as URL:
            completion(fileURL)
        default: break
        }
    }
}
