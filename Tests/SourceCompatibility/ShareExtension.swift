// swift-format-ignore-file

import Foundation
import UniformTypeIdentifiers
import os.log

/// The loop of a share extension, with completion handlers.
class ActionRequestHandler: NSObject, NSExtensionRequestHandling {
    var extensionContext: NSExtensionContext?
    private let log = OSLog(subsystem: "com.example.share", category: "action")
    private let logger = Logger(subsystem: "com.example.share", category: "action")

    func beginRequest(with context: NSExtensionContext) {
        self.extensionContext = context
        os_log("items: %{public}d", log: log, type: .debug, context.inputItems.count)
        var found = false
        outer: for item in context.inputItems as! [NSExtensionItem] {
            if let attachments = item.attachments {
                for itemProvider in attachments {
                    if itemProvider.hasItemConformingToTypeIdentifier(UTType.propertyList.identifier) {
                        itemProvider.loadItem(forTypeIdentifier: UTType.propertyList.identifier, options: nil) {
                            (item, error) in
                            guard let dictionary = item as? [String: Any] else { return }
                            let results = dictionary[NSExtensionJavaScriptPreprocessingResultsKey] as? [String: Any]
                            os_log(.info, "page \(results?.count ?? 0)")
                        }
                        found = true
                        break outer
                    }
                }
            }
        }
        if !found {
            logger.info("nothing to do for \(context.inputItems.count, privacy: .public) items")
            doneWithResults(nil)
        }
    }

    func doneWithResults(_ resultsForJavaScriptFinalizeArg: [String: Any]?) {
        if let resultsForJavaScriptFinalize = resultsForJavaScriptFinalizeArg {
            let resultsDictionary = [NSExtensionJavaScriptFinalizeArgumentKey: resultsForJavaScriptFinalize]
            let resultsProvider = NSItemProvider(
                item: resultsDictionary as NSDictionary, typeIdentifier: UTType.propertyList.identifier)
            let resultsItem = NSExtensionItem()
            resultsItem.attachments = [resultsProvider]
            self.extensionContext!.completeRequest(returningItems: [resultsItem], completionHandler: nil)
        } else {
            self.extensionContext!.completeRequest(returningItems: [], completionHandler: nil)
        }
        self.extensionContext = nil
    }
}

/// The contents of an attachment that a share extension loads with `async`.
enum SharedContent: Equatable {
    case text(String)
    case link(URL)
    case file(Data)

    static func load(_ itemProvider: NSItemProvider) async throws -> SharedContent? {
        if itemProvider.hasItemConformingToTypeIdentifier(UTType.url.identifier) {
            let item: NSSecureCoding? = try await itemProvider.loadItem(forTypeIdentifier: UTType.url.identifier)
            if let url = item as? URL { return .link(url) }
            if let data = item as? Data, let url = URL(dataRepresentation: data, relativeTo: nil) { return .link(url) }
        }
        if itemProvider.hasItemConformingToTypeIdentifier(UTType.plainText.identifier) {
            let item: NSSecureCoding? = try await itemProvider.loadItem(forTypeIdentifier: UTType.plainText.identifier)
            if let text = item as? String { return .text(text) }
            if let data = item as? Data { return .text(String(decoding: data, as: UTF8.self)) }
        }
        return nil
    }
}

/// Copies a file of any size as a stream, without reading it whole.
func copyStream(from source: URL, to target: URL) throws {
    guard let input = InputStream(url: source), let output = OutputStream(url: target, append: false) else {
        throw CocoaError(.fileReadUnknown)
    }
    input.open()
    output.open()
    defer {
        input.close()
        output.close()
    }
    var buffer = [UInt8](repeating: 0, count: 64 * 1024)
    while input.hasBytesAvailable {
        let count = input.read(&buffer, maxLength: buffer.count)
        if count < 0 { throw input.streamError ?? CocoaError(.fileReadUnknown) }
        if count == 0 { break }
        if output.write(buffer, maxLength: count) < 0 { throw output.streamError ?? CocoaError(.fileWriteUnknown) }
    }
}
