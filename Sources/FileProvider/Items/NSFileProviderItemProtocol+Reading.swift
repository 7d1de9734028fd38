import Foundation
import UniformTypeIdentifiers

/// The members of an item as they are read of a value whose class is not known: one level more optional than a class
/// has them.
/// `nil` means that the class has no such member.
extension NSFileProviderItemProtocol {
    /// The item with its members as its class has them.
    private var own: any NSFileProviderItemRequirements { self }

    /// The type of its contents; `.folder` for a folder, `.symbolicLink` for a link.
    public var contentType: UTType? { OptionalMember.read(own.contentType) }
    /// The identifier of the type of its contents, as it was before ``contentType``.
    public var typeIdentifier: String? { OptionalMember.read(own.typeIdentifier) }
    /// The four-character codes of its type and of the program that made it.
    public var typeAndCreator: NSFileProviderTypeAndCreator? { OptionalMember.read(own.typeAndCreator) }
    /// What may be done with it.
    public var capabilities: NSFileProviderItemCapabilities? { OptionalMember.read(own.capabilities) }
    /// What the file system shows of it: permissions of its owner, whether it is hidden.
    public var fileSystemFlags: NSFileProviderFileSystemFlags? { OptionalMember.read(own.fileSystemFlags) }
    /// How many bytes its contents have.
    public var documentSize: NSNumber?? { OptionalMember.read(own.documentSize) }
    /// How many items are in it, if it is a folder.
    public var childItemCount: NSNumber?? { OptionalMember.read(own.childItemCount) }
    /// When it was made.
    public var creationDate: Date?? { OptionalMember.read(own.creationDate) }
    /// When its contents were changed.
    public var contentModificationDate: Date?? { OptionalMember.read(own.contentModificationDate) }
    /// The extended attributes that the provider keeps with it.
    public var extendedAttributes: [String: Data]? { OptionalMember.read(own.extendedAttributes) }
    /// When the person used it last. An item that has one is in the working set.
    public var lastUsedDate: Date?? { OptionalMember.read(own.lastUsedDate) }
    /// The tags that the person gave it, in a form of the system's. An item that has some is in the working set.
    public var tagData: Data?? { OptionalMember.read(own.tagData) }
    /// Where it stands among the favorites: a number of 64 bits. An item that has one is in the working set.
    public var favoriteRank: NSNumber?? { OptionalMember.read(own.favoriteRank) }
    /// Whether it is in the trash itself, not only in a folder that is.
    public var isTrashed: Bool? { OptionalMember.read(own.isTrashed) }
    /// Whether the service has its latest contents.
    public var isUploaded: Bool? { OptionalMember.read(own.isUploaded) }
    /// Whether its contents are on their way to the service.
    public var isUploading: Bool? { OptionalMember.read(own.isUploading) }
    /// Why its contents could not be sent to the service.
    public var uploadingError: (any Error)?? { OptionalMember.read(own.uploadingError) }
    /// Whether its contents are on this machine.
    public var isDownloaded: Bool? { OptionalMember.read(own.isDownloaded) }
    /// Whether its contents are on their way to this machine.
    public var isDownloading: Bool? { OptionalMember.read(own.isDownloading) }
    /// Why its contents could not be fetched.
    public var downloadingError: (any Error)?? { OptionalMember.read(own.downloadingError) }
    /// Whether the contents on this machine are the service's latest.
    public var isMostRecentVersionDownloaded: Bool? { OptionalMember.read(own.isMostRecentVersionDownloaded) }
    /// Whether other people can see it.
    public var isShared: Bool? { OptionalMember.read(own.isShared) }
    /// Whether it is shared and belongs to this person.
    public var isSharedByCurrentUser: Bool? { OptionalMember.read(own.isSharedByCurrentUser) }
    /// Whose it is.
    public var ownerNameComponents: PersonNameComponents?? { OptionalMember.read(own.ownerNameComponents) }
    /// Who changed it last.
    public var mostRecentEditorNameComponents: PersonNameComponents?? {
        OptionalMember.read(own.mostRecentEditorNameComponents)
    }
    /// Another one means other contents; at most 1,000 bytes.
    public var versionIdentifier: Data?? { OptionalMember.read(own.versionIdentifier) }
    /// The versions of its contents and of the rest.
    public var itemVersion: NSFileProviderItemVersion? { OptionalMember.read(own.itemVersion) }
    /// Where it points, if it is a symbolic link.
    public var symlinkTargetPath: String?? { OptionalMember.read(own.symlinkTargetPath) }
    /// What the rules of the provider's actions are told of it.
    public var userInfo: [AnyHashable: Any]?? { OptionalMember.read(own.userInfo) }
    /// When its contents are fetched and given up.
    public var contentPolicy: NSFileProviderContentPolicy? { OptionalMember.read(own.contentPolicy) }
}
