import FileProvider
import Foundation
import UniformTypeIdentifiers
import WebDAVClient

/// One item of the server, in the form that the system reads.
///
/// Sendable: all properties are immutable.
final class DAVItem: NSObject, NSFileProviderItemProtocol, @unchecked Sendable {
    private let item: CataloguedItem
    let itemIdentifier: NSFileProviderItemIdentifier
    let parentItemIdentifier: NSFileProviderItemIdentifier
    let filename: String
    let contentType: UTType
    private let hasTrash: Bool

    init(
        _ item: CataloguedItem, identifier: NSFileProviderItemIdentifier, parent: NSFileProviderItemIdentifier,
        root: String, hasTrash: Bool
    ) {
        self.item = item
        self.hasTrash = hasTrash
        itemIdentifier = identifier
        parentItemIdentifier = parent
        filename = item.number == CataloguedItem.root ? root : item.name
        contentType = item.isFolder ? .folder : Self.type(of: item.name)
    }

    private static func type(of name: String) -> UTType {
        // A name whose only dot is its first character has no extension.
        guard let dot = name.utf8.lastIndex(of: UInt8(ascii: ".")), dot > name.startIndex else { return .data }
        let suffix = String(name[name.utf8.index(after: dot)...])
        return UTType(filenameExtension: suffix, conformingTo: .data) ?? .data
    }

    private var isRoot: Bool { itemIdentifier == .rootContainer }

    var capabilities: NSFileProviderItemCapabilities {
        if let bits = item.traits.capabilities { return NSFileProviderItemCapabilities(rawValue: bits) }
        if isRoot { return [.allowsReading, .allowsWriting] }
        var all: NSFileProviderItemCapabilities = [
            .allowsReading, .allowsWriting, .allowsRenaming, .allowsReparenting, .allowsDeleting,
        ]
        if hasTrash { all.insert(.allowsTrashing) }
        if !item.isFolder { all.insert(.allowsEvicting) }
        return all
    }

    var fileSystemFlags: NSFileProviderFileSystemFlags {
        if let bits = item.traits.fileSystemFlags { return NSFileProviderFileSystemFlags(rawValue: bits) }
        var flags: NSFileProviderFileSystemFlags = [.userReadable]
        if capabilities.contains(.allowsWriting) { flags.insert(.userWritable) }
        if item.isFolder { flags.insert(.userExecutable) }
        return flags
    }

    var documentSize: NSNumber? {
        item.isFolder
            ? item.traits.folderSize.map { NSNumber(value: $0) } : item.version.length.map { NSNumber(value: $0) }
    }
    var contentModificationDate: Date? {
        item.version.modified.map { Date(timeIntervalSince1970: TimeInterval($0)) }
    }
    var favoriteRank: NSNumber? { item.traits.favoriteRank.map { NSNumber(value: $0) } }
    var tagData: Data? { item.traits.tagData.map { Data($0) } }
    var isShared: Bool { item.traits.isShared }
    var userInfo: [AnyHashable: Any]? { item.traits.details.isEmpty ? nil : item.traits.details }

    var itemVersion: NSFileProviderItemVersion {
        NSFileProviderItemVersion(
            contentVersion: Data(item.contentVersion.utf8), metadataVersion: Data(metadataVersion.bytes))
    }

    /// The metadata version: a digest of all properties except the contents.
    private var metadataVersion: Digest {
        var digest = Digest(item.name.utf8)
        digest.add("/\(item.parent)/\(item.version.modified ?? -1)/".utf8)
        let traits = item.traits
        digest.add(
            "\(traits.capabilities ?? 0) \(traits.fileSystemFlags ?? 0) \(traits.folderSize ?? -1) ".utf8)
        digest.add("\(traits.favoriteRank ?? 0) \(traits.isShared) ".utf8)
        digest.add(traits.tagData ?? [])
        for (key, value) in traits.details.sorted(by: { $0.key < $1.key }) { digest.add("\(key)=\(value)\n".utf8) }
        return digest
    }
}
