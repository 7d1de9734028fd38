import FileProviderWire
import Foundation
import ItemValues
import UniformTypeIdentifiers

/// A `ProviderItem` as an `NSFileProviderItem`, such as for an error's `userInfo`.
///
/// Sendable because it holds an immutable plain value.
package final class ProviderItemObject: NSObject, NSFileProviderItemProtocol, Sendable {
    package let item: ProviderItem

    package init(_ item: ProviderItem) {
        self.item = item
        super.init()
    }

    package var itemIdentifier: NSFileProviderItemIdentifier { NSFileProviderItemIdentifier(item.identifier) }
    package var parentItemIdentifier: NSFileProviderItemIdentifier { NSFileProviderItemIdentifier(item.parent) }
    package var filename: String { item.filename }
    package var contentType: UTType {
        if !item.contentType.isEmpty { return UTType(item.contentType) ?? UTType(importedAs: item.contentType) }
        return switch item.kind {
        case .file: .data
        case .folder: .folder
        case .symbolicLink: .symbolicLink
        }
    }
    package var capabilities: NSFileProviderItemCapabilities {
        NSFileProviderItemCapabilities(rawValue: item.capabilities)
    }
    package var fileSystemFlags: NSFileProviderFileSystemFlags {
        item.fileSystemFlags.map { NSFileProviderFileSystemFlags(rawValue: $0) } ?? OptionalMember.missing([])
    }
    package var documentSize: NSNumber? { item.size.map { NSNumber(value: $0) } }
    package var childItemCount: NSNumber? { item.childCount.map { NSNumber(value: $0) } }
    package var creationDate: Date? { item.created.map { Date(timeIntervalSince1970: $0) } }
    package var contentModificationDate: Date? { item.modified.map { Date(timeIntervalSince1970: $0) } }
    package var lastUsedDate: Date? { item.lastUsed.map { Date(timeIntervalSince1970: $0) } }
    package var itemVersion: NSFileProviderItemVersion {
        NSFileProviderItemVersion(
            contentVersion: Data(item.contentVersion), metadataVersion: Data(item.metadataVersion))
    }
    package var versionIdentifier: Data? { item.contentVersion.isEmpty ? nil : Data(item.contentVersion) }
    package var favoriteRank: NSNumber? { item.favoriteRank.map { NSNumber(value: $0) } }
    package var tagData: Data? { item.tagData.map { Data($0) } }
    package var extendedAttributes: [String: Data] { item.extendedAttributes.mapValues { Data($0) } }
    package var symlinkTargetPath: String? { item.linkTarget }
    package var userInfo: [AnyHashable: Any]? {
        guard !item.userInfo.isEmpty else { return nil }
        return item.userInfo.mapValues { value -> Any in
            switch value {
            case .number(let number): NSNumber(value: number)
            case .text(let text): text
            }
        }
    }
    package var isTrashed: Bool { item.flags.contains(.trashed) }
    package var isUploaded: Bool { item.flags.contains(.uploaded) }
    package var isUploading: Bool { item.flags.contains(.uploading) }
    package var isDownloaded: Bool { item.flags.contains(.downloaded) }
    package var isDownloading: Bool { item.flags.contains(.downloading) }
    package var isMostRecentVersionDownloaded: Bool { item.flags.contains(.mostRecentVersionDownloaded) }
    package var isShared: Bool { item.flags.contains(.shared) }
    package var isSharedByCurrentUser: Bool { item.flags.contains(.sharedByCurrentUser) }
    package var uploadingError: (any Error)? { item.uploadingError?.error }
}
