import FileProvider
import Foundation
import UniformTypeIdentifiers

/// An item of the vault, with its file's properties.
final class VaultItem: NSObject, NSFileProviderItemProtocol {
    let itemIdentifier: NSFileProviderItemIdentifier
    let filename: String
    let contentType: UTType
    let documentSize: NSNumber?
    let versionIdentifier: Data?

    init?(_ identifier: NSFileProviderItemIdentifier, at url: URL) {
        guard let attributes = try? FileManager.default.attributesOfItem(atPath: url.path) else { return nil }
        let isFolder = attributes[.type] as? FileAttributeType == .typeDirectory
        itemIdentifier = identifier
        filename = url.lastPathComponent
        contentType = isFolder ? .folder : .plainText
        documentSize = isFolder ? nil : attributes[.size] as? NSNumber
        versionIdentifier = (attributes[.modificationDate] as? Date).map { Data("\($0.timeIntervalSince1970)".utf8) }
    }

    var parentItemIdentifier: NSFileProviderItemIdentifier { .rootContainer }
    var isUploaded: Bool { true }
}

/// An enumerator of the vault, which has no subdirectories.
final class VaultEnumerator: NSObject, NSFileProviderEnumerator {
    private let service: URL

    init(_ service: URL) { self.service = service }

    func invalidate() {}

    func enumerateItems(for observer: any NSFileProviderEnumerationObserver, startingAt page: NSFileProviderPage) {
        let names = ((try? FileManager.default.contentsOfDirectory(atPath: service.path)) ?? []).sorted()
        let items = names.filter { !$0.hasPrefix(".") }.compactMap { name in
            VaultItem(NSFileProviderItemIdentifier(name), at: service.appendingPathComponent(name))
        }
        observer.didEnumerate(items)
        observer.finishEnumerating(upTo: nil)
    }
}
