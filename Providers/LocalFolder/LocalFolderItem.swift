import FileProvider
import Foundation
import LinuxSystem
import UniformTypeIdentifiers

/// One item of the served directory, in the form that the system reads.
final class LocalFolderItem: NSObject, NSFileProviderItemProtocol {
    private let item: CatalogueItem
    private let identifier: String
    private let parent: String
    /// The reason why an edit of the item is not in the served directory yet; `nil` if there is no such edit.
    private let unsent: (any Error)?
    private let name: String
    private let marks: CatalogueMarks
    let contentType: UTType

    /// Creates an item.
    ///
    /// - Parameters:
    ///   - root: the name of the root.
    ///   - types: a cache of the types of filename extensions.
    ///   - parent: the identifier of the item's directory.
    init(
        _ item: CatalogueItem, _ marks: CatalogueMarks, root: String, unsent: (any Error)?,
        types: FilenameTypes, identifier: String, parent: String
    ) {
        self.item = item
        self.marks = marks
        self.identifier = identifier
        self.parent = parent
        self.unsent = unsent
        name = item.number == CatalogueItem.root ? root : item.filename
        contentType =
            switch item.facts.kind {
            case .folder: .folder
            case .symbolicLink: .symbolicLink
            case .file: types.type(of: name)
            }
    }

    private var isRoot: Bool { item.number == CatalogueItem.root }

    var itemIdentifier: NSFileProviderItemIdentifier {
        isRoot ? .rootContainer : NSFileProviderItemIdentifier(identifier)
    }
    var parentItemIdentifier: NSFileProviderItemIdentifier {
        if isTrashed { return .trashContainer }
        return isRoot || item.parent == CatalogueItem.root ? .rootContainer : NSFileProviderItemIdentifier(parent)
    }
    var filename: String { name }
    var isTrashed: Bool { item.parent == CatalogueItem.trash }

    var capabilities: NSFileProviderItemCapabilities {
        var all: NSFileProviderItemCapabilities = [
            .allowsReading, .allowsRenaming, .allowsReparenting, .allowsDeleting,
        ]
        if isRoot { all = [.allowsReading] } else if !isTrashed { all.insert(.allowsTrashing) }
        // Replacing a file does not require write permission for it, but the owner of a read-only file does not want it
        // to be edited.
        if item.facts.permissions & 0o200 != 0 { all.insert(.allowsWriting) }
        if item.facts.kind == .file { all.insert(.allowsEvicting) }
        return all
    }

    var fileSystemFlags: NSFileProviderFileSystemFlags {
        var flags: NSFileProviderFileSystemFlags = []
        if item.facts.permissions & 0o100 != 0 { flags.insert(.userExecutable) }
        if item.facts.permissions & 0o400 != 0 { flags.insert(.userReadable) }
        if item.facts.permissions & 0o200 != 0 { flags.insert(.userWritable) }
        return flags
    }

    var documentSize: NSNumber? { item.facts.kind == .folder ? nil : NSNumber(value: item.facts.size) }
    var contentModificationDate: Date? { Date(timeIntervalSince1970: item.facts.modified.secondsSince1970) }
    var lastUsedDate: Date? { marks.lastUsed.map { Date(timeIntervalSince1970: $0) } }
    var favoriteRank: NSNumber? { marks.favoriteRank.map { NSNumber(value: $0) } }
    var tagData: Data? { marks.tagData.map { Data($0) } }
    var symlinkTargetPath: String? {
        item.facts.kind == .symbolicLink ? String(decoding: item.facts.target, as: UTF8.self) : nil
    }
    var itemVersion: NSFileProviderItemVersion {
        NSFileProviderItemVersion(
            contentVersion: Data(item.contentVersion), metadataVersion: Data(item.metadataVersion))
    }
    var versionIdentifier: Data? { Data(item.contentVersion) }
    var isUploaded: Bool { unsent == nil }
    var uploadingError: (any Error)? { unsent }
}
