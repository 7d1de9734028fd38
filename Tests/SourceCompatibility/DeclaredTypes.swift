// swift-format-ignore-file

import Foundation
import UniformTypeIdentifiers

extension UTType {
    static let notebook = UTType(exportedAs: "com.example.notebook", conformingTo: .package)
    static var page: UTType { UTType(exportedAs: "com.example.page") }
    static var markdown: UTType { UTType(importedAs: "net.daringfireball.markdown", conformingTo: .plainText) }
    /// A type without a reverse domain, and without a declaration.
    static let plain = UTType(exportedAs: "my file type")
}

/// The properties of types that programs read.
enum DeclaredTypes {
    static func mimeType(_ pathExtension: String) -> String {
        return UTType(filenameExtension: pathExtension)?.preferredMIMEType ?? "application/octet-stream"
    }

    static func pathExtension(_ mimeType: String) -> String? {
        guard let type = UTType(mimeType: mimeType) else { return nil }
        return type.preferredFilenameExtension
    }

    static func kind(_ url: URL) -> String {
        let type = UTType(filenameExtension: url.pathExtension)!
        switch type {
        case .pdf: return "document"
        case .png, .jpeg, .heic, .gif: return "picture"
        case _ where type.conforms(to: .movie) || type.conforms(to: .audio): return "media"
        case let other where other.conforms(to: .text): return "text"
        default: return type.isDynamic ? "unknown" : "file"
        }
    }

    static func isPicture(_ provider: NSItemProvider) -> Bool {
        return [UTType.png, .jpeg, .webP].contains { provider.hasItemConformingToTypeIdentifier($0.identifier) }
    }

    static func types(in folder: URL) throws -> [String: UTType] {
        var types: [String: UTType] = [:]
        let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: [.contentTypeKey], options: [.skipsHiddenFiles])
        for file in files {
            let values = try file.resourceValues(forKeys: [.contentTypeKey, .isDirectoryKey])
            types[file.lastPathComponent] = values.isDirectory == true ? .folder : values.contentType
        }
        return types
    }

    static func identifier(_ url: URL) -> String? {
        (try? url.resourceValues(forKeys: [.typeIdentifierKey]))?.typeIdentifier
    }

    static func conforms(_ url: URL, to type: UTType) -> Bool {
        (try? url.resourceValues(forKeys: Set([.contentTypeKey])).contentType?.conforms(to: type)) ?? false
    }

    static func export(_ folder: URL, _ name: String) -> URL {
        folder.appendingPathComponent(name, conformingTo: .png)
    }

    static func group(_ types: Set<UTType>) -> [String] {
        types.map(\.identifier).sorted()
    }

    static func package(_ pathExtension: String) -> UTType {
        UTType(filenameExtension: pathExtension, conformingTo: .package)!
    }

    /// Returns the MIME type with the older functions, which are still in use.
    static func olderMIMEType(_ path: String) -> String? {
        let pathExtension = URL(fileURLWithPath: path).pathExtension
        if let uti = UTTypeCreatePreferredIdentifierForTag(kUTTagClassFilenameExtension, pathExtension as NSString, nil)?.takeRetainedValue() {
            if let mimetype = UTTypeCopyPreferredTagWithClass(uti, kUTTagClassMIMEType)?.takeRetainedValue() {
                return mimetype as String
            }
        }
        return nil
    }

    static func olderConformance(_ identifier: String) -> Bool {
        return UTTypeConformsTo(identifier as CFString, kUTTypeImage) || UTTypeConformsTo(identifier as CFString, kUTTypeMovie)
    }
}
