import FileProvider
import Foundation
import ScriptableService
import UniformTypeIdentifiers

/// An item of the service in the form that the system sees.
final class ServiceItem: NSObject, NSFileProviderItemProtocol {
    private let item: CloudItem
    private let upload: PendingUpload?

    /// - Parameter upload: The part of the item that the service does not have yet.
    init(_ item: CloudItem, _ upload: PendingUpload? = nil) {
        self.item = item
        self.upload = upload
    }

    static func identifier(_ text: String) -> NSFileProviderItemIdentifier {
        switch text {
        case CloudItem.root: .rootContainer
        case CloudItem.trash: .trashContainer
        default: NSFileProviderItemIdentifier(text)
        }
    }

    static func known(_ identifier: NSFileProviderItemIdentifier) -> String {
        switch identifier {
        case .rootContainer: CloudItem.root
        case .trashContainer: CloudItem.trash
        default: identifier.rawValue
        }
    }

    var itemIdentifier: NSFileProviderItemIdentifier { Self.identifier(item.identifier) }
    var parentItemIdentifier: NSFileProviderItemIdentifier { Self.identifier(item.parent) }
    var filename: String { item.identifier == CloudItem.root ? "Cloud" : item.name }
    var contentType: UTType {
        switch item.kind {
        case .folder: .folder
        case .link: .symbolicLink
        case .file: UTType(filenameExtension: (item.name as NSString).pathExtension, conformingTo: .data) ?? .data
        }
    }
    var capabilities: NSFileProviderItemCapabilities { .allowsAll }
    var documentSize: NSNumber? { item.kind == .folder ? nil : NSNumber(value: item.size) }
    var contentModificationDate: Date? { Date(timeIntervalSince1970: item.modified) }
    var symlinkTargetPath: String? { item.linkTarget }
    var tagData: Data? { item.tagData.map { Data($0) } }
    var favoriteRank: NSNumber? { item.favoriteRank.map { NSNumber(value: $0) } }
    var fileSystemFlags: NSFileProviderFileSystemFlags {
        let standard: NSFileProviderFileSystemFlags =
            item.kind == .folder ? [.userReadable, .userWritable, .userExecutable] : [.userReadable, .userWritable]
        return item.permissions.map { NSFileProviderFileSystemFlags(rawValue: $0) } ?? standard
    }
    var extendedAttributes: [String: Data] { item.attributes?.mapValues { Data($0) } ?? [:] }
    var isTrashed: Bool { item.former != nil }
    var itemVersion: NSFileProviderItemVersion {
        NSFileProviderItemVersion(
            contentVersion: versionIdentifier ?? Data(), metadataVersion: Data("\(item.parent)/\(item.name)".utf8))
    }
    /// The version; items with names that begin with "unversioned" have none.
    var versionIdentifier: Data? { item.name.hasPrefix("unversioned") ? nil : Data("\(item.version)".utf8) }
    /// Values that are derived from the name. If a directory has a key with a certain suffix, the key also applies to
    /// the items in the directory.
    var userInfo: [AnyHashable: Any]? {
        if item.kind == .folder { return item.name.hasPrefix("locked") ? ["org.example.locked.inherited": true] : nil }
        return [
            "draft": item.name.hasPrefix("draft"), "letters": item.name.count, "first": String(item.name.prefix(1)),
        ]
    }
    var isUploaded: Bool { upload == nil }
    var isUploading: Bool { upload?.isUnderWay ?? false }
    var uploadingError: (any Error)? { upload?.error }
}

/// Local contents that the service does not have yet.
struct PendingUpload: Sendable {
    /// The item as it will be at the service after the upload.
    var item: CloudItem
    /// Whether the item does not exist at the service yet.
    var isNew: Bool
    /// The number of the contents. An upload is complete only if no later contents exist.
    var generation: Int
    var isUnderWay: Bool
    /// The error of the last attempt.
    var error: (any Error)?
}
