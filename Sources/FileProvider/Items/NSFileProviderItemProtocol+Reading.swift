import Foundation
import UniformTypeIdentifiers

/// The members of an item as they are read through `any NSFileProviderItem`. Each member has one more level of
/// optionality here than in a class. On this level, `nil` means that the class does not declare the member.
extension NSFileProviderItemProtocol {
    /// This item as an ``NSFileProviderItemRequirements``. Its members have the types that classes declare.
    private var own: any NSFileProviderItemRequirements { self }

    /// The type of the contents; `.folder` for a directory, `.symbolicLink` for a link. `nil` if the item's class does
    /// not declare this member.
    public var contentType: UTType? { OptionalMember.read(own.contentType) }
    /// The identifier of the type. Superseded by ``contentType``. `nil` if the item's class does not declare this
    /// member.
    public var typeIdentifier: String? { OptionalMember.read(own.typeIdentifier) }
    /// The four-character codes of the type and of the program that created the file. `nil` if the item's class does
    /// not declare this member.
    public var typeAndCreator: NSFileProviderTypeAndCreator? { OptionalMember.read(own.typeAndCreator) }
    /// The operations that are allowed on the item. `nil` if the item's class does not declare this member.
    public var capabilities: NSFileProviderItemCapabilities? { OptionalMember.read(own.capabilities) }
    /// The item's flags in the file system: the owner's permissions, and whether it is hidden. `nil` if the item's
    /// class does not declare this member.
    public var fileSystemFlags: NSFileProviderFileSystemFlags? { OptionalMember.read(own.fileSystemFlags) }
    /// The size of the contents in bytes; `nil` if unknown. The outer optional is `nil` if the item's class does not
    /// declare this member.
    public var documentSize: NSNumber?? { OptionalMember.read(own.documentSize) }
    /// The number of items in a directory; `nil` if unknown. The outer optional is `nil` if the item's class does not
    /// declare this member.
    public var childItemCount: NSNumber?? { OptionalMember.read(own.childItemCount) }
    /// The date of creation; `nil` if unknown. The outer optional is `nil` if the item's class does not declare this
    /// member.
    public var creationDate: Date?? { OptionalMember.read(own.creationDate) }
    /// The date on which the contents were changed last; `nil` if unknown. The outer optional is `nil` if the item's
    /// class does not declare this member.
    public var contentModificationDate: Date?? { OptionalMember.read(own.contentModificationDate) }
    /// The extended attributes that the provider stores with the item. `nil` if the item's class does not declare this
    /// member.
    public var extendedAttributes: [String: Data]? { OptionalMember.read(own.extendedAttributes) }
    /// The date on which the user used the item last; `nil` if unknown. Items with such a date are in the working set.
    /// The outer optional is `nil` if the item's class does not declare this member.
    public var lastUsedDate: Date?? { OptionalMember.read(own.lastUsedDate) }
    /// The user's tags, in a format of the system; `nil` if there are none. Items with tags are in the working set. The
    /// outer optional is `nil` if the item's class does not declare this member.
    public var tagData: Data?? { OptionalMember.read(own.tagData) }
    /// The item's rank among the favorites, a 64-bit integer; `nil` if the item is not a favorite. Items with a rank
    /// are in the working set. The outer optional is `nil` if the item's class does not declare this member.
    public var favoriteRank: NSNumber?? { OptionalMember.read(own.favoriteRank) }
    /// Whether the item itself was moved to the trash, and not only a directory above it. `nil` if the item's class
    /// does not declare this member.
    public var isTrashed: Bool? { OptionalMember.read(own.isTrashed) }
    /// Whether the service has the latest contents. `nil` if the item's class does not declare this member.
    public var isUploaded: Bool? { OptionalMember.read(own.isUploaded) }
    /// Whether the contents are being uploaded. `nil` if the item's class does not declare this member.
    public var isUploading: Bool? { OptionalMember.read(own.isUploading) }
    /// The error of the last upload; `nil` if it did not fail. The outer optional is `nil` if the item's class does not
    /// declare this member.
    public var uploadingError: (any Error)?? { OptionalMember.read(own.uploadingError) }
    /// Whether the contents are local. `nil` if the item's class does not declare this member.
    public var isDownloaded: Bool? { OptionalMember.read(own.isDownloaded) }
    /// Whether the contents are being downloaded. `nil` if the item's class does not declare this member.
    public var isDownloading: Bool? { OptionalMember.read(own.isDownloading) }
    /// The error of the last download; `nil` if it did not fail. The outer optional is `nil` if the item's class does
    /// not declare this member.
    public var downloadingError: (any Error)?? { OptionalMember.read(own.downloadingError) }
    /// Whether the local contents are the service's latest. `nil` if the item's class does not declare this member.
    public var isMostRecentVersionDownloaded: Bool? { OptionalMember.read(own.isMostRecentVersionDownloaded) }
    /// Whether other users can see the item. `nil` if the item's class does not declare this member.
    public var isShared: Bool? { OptionalMember.read(own.isShared) }
    /// Whether the item is shared and belongs to the current user. `nil` if the item's class does not declare this
    /// member.
    public var isSharedByCurrentUser: Bool? { OptionalMember.read(own.isSharedByCurrentUser) }
    /// The name of the owner; `nil` if unknown. The outer optional is `nil` if the item's class does not declare this
    /// member.
    public var ownerNameComponents: PersonNameComponents?? { OptionalMember.read(own.ownerNameComponents) }
    /// The name of the last editor; `nil` if unknown. The outer optional is `nil` if the item's class does not declare
    /// this member.
    public var mostRecentEditorNameComponents: PersonNameComponents?? {
        OptionalMember.read(own.mostRecentEditorNameComponents)
    }
    /// The version of the contents, at most 1,000 bytes; `nil` if unknown. Different contents have different versions.
    /// The outer optional is `nil` if the item's class does not declare this member.
    public var versionIdentifier: Data?? { OptionalMember.read(own.versionIdentifier) }
    /// The versions of the contents and of the metadata. `nil` if the item's class does not declare this member.
    public var itemVersion: NSFileProviderItemVersion? { OptionalMember.read(own.itemVersion) }
    /// The target of a symbolic link; `nil` for other items. The outer optional is `nil` if the item's class does not
    /// declare this member.
    public var symlinkTargetPath: String?? { OptionalMember.read(own.symlinkTargetPath) }
    /// The values that the activation rules of the provider's custom actions can examine; `nil` if there are none. The
    /// outer optional is `nil` if the item's class does not declare this member.
    public var userInfo: [AnyHashable: Any]?? { OptionalMember.read(own.userInfo) }
    /// The policy for materializing and evicting the contents. `nil` if the item's class does not declare this member.
    public var contentPolicy: NSFileProviderContentPolicy? { OptionalMember.read(own.contentPolicy) }
}
