// swift-format-ignore-file

import Foundation
import MobileCoreServices
import OSLog
import UniformTypeIdentifiers
import os

/// Idioms of programs for Apple's platforms, each of which must compile unchanged.
enum Idioms {
    static func progress() -> Progress {
        return Progress()
    }

    static func fails(_ error: NSErrorPointer) -> Bool {
        error?.pointee = NSError(domain: "Idioms", code: 1)
        return false
    }

    static func callWithErrorPointer() -> Int? {
        var error: NSError?
        _ = fails(&error)
        _ = fails(nil)
        return error?.code
    }

    static func olderTypes(_ pathExtension: String) -> String? {
        let type =
            UTTypeCreatePreferredIdentifierForTag(
                kUTTagClassFilenameExtension, pathExtension as CFString, nil)?.takeRetainedValue() as String?
        return type == String(kUTTypePNG) ? kUTTypeImage as String : type
    }

    static func read(_ url: URL) throws -> Data {
        let isAccessing = url.startAccessingSecurityScopedResource()
        defer {
            if isAccessing { url.stopAccessingSecurityScopedResource() }
        }
        return try Data(contentsOf: url)
    }

    static func group(_ name: String) -> URL? {
        FileManager.default.containerURL(forSecurityApplicationGroupIdentifier: name)
    }

    static func contentType(_ url: URL) throws -> UTType? {
        try url.resourceValues(forKeys: [.contentTypeKey]).contentType
    }

    static func provider(for item: Any?) -> NSItemProvider {
        let provider = NSItemProvider(item: "text" as NSSecureCoding?, typeIdentifier: UTType.plainText.identifier)
        provider.suggestedName = "Name"
        provider.registerDataRepresentation(forTypeIdentifier: UTType.json.identifier, visibility: .all) { completion in
            completion(Data("{}".utf8), nil)
            return nil
        }
        return provider
    }

    static func log(_ error: Error) {
        let logger = Logger(subsystem: "com.example", category: "idioms")
        logger.error("failed: \(error.localizedDescription, privacy: .public)")
        logger.debug("a value \(42) and a secret \("word", privacy: .private(mask: .hash))")
        os_log("failed with %@", log: .default, type: .debug, "words" as NSString)
    }
}

extension NSItemProvider {
    func loadString(completion: @escaping @Sendable (String?) -> Void) {
        guard canLoadObject(ofClass: String.self) else { return completion(nil) }
        _ = loadObject(ofClass: String.self) { string, error in completion(string) }
    }
}

struct Bookmark: Codable, Transferable {
    var title: String

    static var transferRepresentation: some TransferRepresentation {
        CodableRepresentation(contentType: .json)
        ProxyRepresentation(exporting: \.title)
    }
}
