// swift-format-ignore-file

import UniformTypeIdentifiers

// This file imports only the types, which export Foundation.
func kinds(ofItemsIn folder: URL) throws -> [String: UTType] {
    var kinds: [String: UTType] = [:]
    for url in try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: [.contentTypeKey]) {
        autoreleasepool {
            kinds[url.lastPathComponent] = try? url.resourceValues(forKeys: [.contentTypeKey]).contentType
        }
    }
    return kinds
}
