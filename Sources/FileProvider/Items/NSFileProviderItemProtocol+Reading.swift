import Foundation
import UniformTypeIdentifiers

/// The members of an item as they are read through `any NSFileProviderItem`. Each type has one more level of
/// optionality than in a class. On this level, `nil` means that the class does not declare the member.
extension NSFileProviderItemProtocol {
    /// The item, with its members as its class declares them.
    private var own: any NSFileProviderItemRequirements { self }

    /// The type of the contents; `.folder` for a directory, `.symbolicLink` for a link.
    public var contentType: UTType? { OptionalMember.read(own.contentType) }
    /// The identifier of the type, which ``contentType`` has superseded.
    public var typeIdentifier: String? { OptionalMember.read(own.typeIdentifier) }
    /// The four-character codes of the type and of the program that created the file.
    public var typeAndCreator: NSFileProviderTypeAndCreator? { OptionalMember.read(own.typeAndCreator) }
    /// The operations that are allowed on the item.
    public var capabilities: NSFileProviderItemCapabilities? { OptionalMember.read(own.capabilities) }
    /// The item's flags in the file system: the owner's permissions, and whether it is hidden.
    public var fileSystemFlags: NSFileProviderFileSystemFlags? { OptionalMember.read(own.fileSystemFlags) }
    /// The size of the contents in bytes.
    public var documentSize: NSNumber?? { OptionalMember.read(own.documentSize) }
    /// The number of items in a directory.
    public var childItemCount: NSNumber?? { OptionalMember.read(own.childItemCount) }
    /// The date of creation.
    public var creationDate: Date?? { OptionalMember.read(own.creationDate) }
    /// The date on which the contents were changed last.
    public var contentModificationDate: Date?? { OptionalMember.read(own.contentModificationDate) }
    /// The extended attributes that the provider stores with the item.
    public var extendedAttributes: [String: Data]? { OptionalMember.read(own.extendedAttributes) }
    /// The date on which the user used the item last. Items with such a date are in the working set.
    public var lastUsedDate: Date?? { OptionalMember.read(own.lastUsedDate) }
    /// The user's tags, in a format of the system. Items with tags are in the working set.
    public var tagData: Data?? { OptionalMember.read(own.tagData) }
    /// The rank among the favorites, 64 bits. Items with a rank are in the working set.
    public var favoriteRank: NSNumber?? { OptionalMember.read(own.favoriteRank) }
    /// Whether the item itself was moved to the trash, and not only a directory above it.
    public var isTrashed: Bool? { OptionalMember.read(own.isTrashed) }
    /// Whether the service has the latest contents.
    public var isUploaded: Bool? { OptionalMember.read(own.isUploaded) }
    /// Whether the contents are being uploaded.
    public var isUploading: Bool? { OptionalMember.read(own.isUploading) }
    /// The error of the last upload.
    public var uploadingError: (any Error)?? { OptionalMember.read(own.uploadingError) }
    /// Whether the contents are local.
    public var isDownloaded: Bool? { OptionalMember.read(own.isDownloaded) }
    /// Whether the contents are being downloaded.
    public var isDownloading: Bool? { OptionalMember.read(own.isDownloading) }
    /// The error of the last download.
    public var downloadingError: (any Error)?? { OptionalMember.read(own.downloadingError) }
    /// Whether the local contents are the service's latest.
    public var isMostRecentVersionDownloaded: Bool? { OptionalMember.read(own.isMostRecentVersionDownloaded) }
    /// Whether other users can see the item.
    public var isShared: Bool? { OptionalMember.read(own.isShared) }
    /// Whether the item is shared and belongs to this user.
    public var isSharedByCurrentUser: Bool? { OptionalMember.read(own.isSharedByCurrentUser) }
    /// The name of the owner.
    public var ownerNameComponents: PersonNameComponents?? { OptionalMember.read(own.ownerNameComponents) }
    /// The name of the last editor.
    public var mostRecentEditorNameComponents: PersonNameComponents?? {
        OptionalMember.read(own.mostRecentEditorNameComponents)
    }
    /// The version of the contents, at most 1,000 bytes. Different contents have different versions.
    public var versionIdentifier: Data?? { OptionalMember.read(own.versionIdentifier) }
    /// The versions of the contents and of the metadata.
    public var itemVersion: NSFileProviderItemVersion? { OptionalMember.read(own.itemVersion) }
    /// The target of a symbolic link.
    public var symlinkTargetPath: String?? { OptionalMember.read(own.symlinkTargetPath) }
    /// Values for the activation rules of the provider's actions.
    public var userInfo: [AnyHashable: Any]?? { OptionalMember.read(own.userInfo) }
    /// The policy for materializing and evicting the contents.
    public var contentPolicy: NSFileProviderContentPolicy? { OptionalMember.read(own.contentPolicy) }
}
