import Foundation
import UniformTypeIdentifiers

/// Defaults for a class that does not declare a member. Their values are not used, because through `any
/// NSFileProviderItem` such a member is `nil`.
extension NSFileProviderItemRequirements {
    /// The type whose identifier is ``typeIdentifier``.
    public var contentType: UTType {
        guard let identifier = OptionalMember.other(typeIdentifier), !identifier.isEmpty else {
            return OptionalMember.missing(.item)
        }
        return UTType(identifier) ?? UTType(importedAs: identifier)
    }
    /// The identifier of ``contentType``.
    public var typeIdentifier: String {
        OptionalMember.other(contentType)?.identifier ?? OptionalMember.missing("")
    }
    /// The default for a class without this member, which is then `nil` through `any NSFileProviderItem`.
    public var typeAndCreator: NSFileProviderTypeAndCreator { OptionalMember.missing(NSFileProviderTypeAndCreator()) }
    /// The default for a class without this member, which is then `nil` through `any NSFileProviderItem`.
    public var capabilities: NSFileProviderItemCapabilities { OptionalMember.missing([.allowsReading]) }
    /// The default for a class without this member, which is then `nil` through `any NSFileProviderItem`.
    public var fileSystemFlags: NSFileProviderFileSystemFlags { OptionalMember.missing([]) }
    /// The default for a class without this member, which is then `nil` through `any NSFileProviderItem`.
    public var documentSize: NSNumber? { OptionalMember.missing(nil) }
    /// The default for a class without this member, which is then `nil` through `any NSFileProviderItem`.
    public var childItemCount: NSNumber? { OptionalMember.missing(nil) }
    /// The default for a class without this member, which is then `nil` through `any NSFileProviderItem`.
    public var creationDate: Date? { OptionalMember.missing(nil) }
    /// The default for a class without this member, which is then `nil` through `any NSFileProviderItem`.
    public var contentModificationDate: Date? { OptionalMember.missing(nil) }
    /// The default for a class without this member, which is then `nil` through `any NSFileProviderItem`.
    public var extendedAttributes: [String: Data] { OptionalMember.missing([:]) }
    /// The default for a class without this member, which is then `nil` through `any NSFileProviderItem`.
    public var lastUsedDate: Date? { OptionalMember.missing(nil) }
    /// The default for a class without this member, which is then `nil` through `any NSFileProviderItem`.
    public var tagData: Data? { OptionalMember.missing(nil) }
    /// The default for a class without this member, which is then `nil` through `any NSFileProviderItem`.
    public var favoriteRank: NSNumber? { OptionalMember.missing(nil) }
    /// Whether the item itself was moved to the trash, and not only a directory above it. This is the default for a
    /// class that does not declare the member. Through `any NSFileProviderItem`, the member is then `nil`.
    public var isTrashed: Bool { OptionalMember.missing(false) }
    /// Whether the service has the latest contents. This is the default for a class that does not declare the member.
    /// Through `any NSFileProviderItem`, the member is then `nil`.
    public var isUploaded: Bool { OptionalMember.missing(true) }
    /// Whether the contents are being uploaded. This is the default for a class that does not declare the member.
    /// Through `any NSFileProviderItem`, the member is then `nil`.
    public var isUploading: Bool { OptionalMember.missing(false) }
    /// The default for a class without this member, which is then `nil` through `any NSFileProviderItem`.
    public var uploadingError: (any Error)? { OptionalMember.missing(nil) }
    /// Whether the contents are local. This is the default for a class that does not declare the member. Through `any
    /// NSFileProviderItem`, the member is then `nil`.
    public var isDownloaded: Bool { OptionalMember.missing(false) }
    /// Whether the contents are being downloaded. This is the default for a class that does not declare the member.
    /// Through `any NSFileProviderItem`, the member is then `nil`.
    public var isDownloading: Bool { OptionalMember.missing(false) }
    /// The default for a class without this member, which is then `nil` through `any NSFileProviderItem`.
    public var downloadingError: (any Error)? { OptionalMember.missing(nil) }
    /// Whether the local contents are the service's latest. This is the default for a class that does not declare the
    /// member. Through `any NSFileProviderItem`, the member is then `nil`.
    public var isMostRecentVersionDownloaded: Bool { OptionalMember.missing(false) }
    /// Whether other users can see the item. This is the default for a class that does not declare the member. Through
    /// `any NSFileProviderItem`, the member is then `nil`.
    public var isShared: Bool { OptionalMember.missing(false) }
    /// Whether the item is shared and belongs to this user. This is the default for a class that does not declare the
    /// member. Through `any NSFileProviderItem`, the member is then `nil`.
    public var isSharedByCurrentUser: Bool { OptionalMember.missing(false) }
    /// The default for a class without this member, which is then `nil` through `any NSFileProviderItem`.
    public var ownerNameComponents: PersonNameComponents? { OptionalMember.missing(nil) }
    /// The default for a class without this member, which is then `nil` through `any NSFileProviderItem`.
    public var mostRecentEditorNameComponents: PersonNameComponents? { OptionalMember.missing(nil) }
    /// The default for a class without this member, which is then `nil` through `any NSFileProviderItem`.
    public var versionIdentifier: Data? { OptionalMember.missing(nil) }
    /// The default for a class without this member, which is then `nil` through `any NSFileProviderItem`.
    public var itemVersion: NSFileProviderItemVersion { OptionalMember.missing(NSFileProviderItemVersion()) }
    /// The default for a class without this member, which is then `nil` through `any NSFileProviderItem`.
    public var symlinkTargetPath: String? { OptionalMember.missing(nil) }
    /// The default for a class without this member, which is then `nil` through `any NSFileProviderItem`.
    public var userInfo: [AnyHashable: Any]? { OptionalMember.missing(nil) }
    /// The default for a class without this member, which is then `nil` through `any NSFileProviderItem`.
    public var contentPolicy: NSFileProviderContentPolicy {
        OptionalMember.missing(NSFileProviderContentPolicy.inherited)
    }
}
