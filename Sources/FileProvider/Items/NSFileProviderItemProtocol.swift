import Foundation
import UniformTypeIdentifiers

/// The members that a class of items may leave out.
///
/// A program conforms to ``NSFileProviderItemProtocol`` instead, which declares each of them once more, as optional:
/// `item.contentType` of an `any NSFileProviderItemProtocol` is a `UTType?`, as with Apple. A Swift protocol cannot
/// declare both, so this one has the members as a class implements them.
public protocol NSFileProviderItemRequirements: NSObjectProtocol {
    /// The type of the contents; `.folder` for a directory, `.symbolicLink` for a link. A class implements this or
    /// ``typeIdentifier``.
    var contentType: UTType { get }
    /// The identifier of the type, which ``contentType`` has superseded.
    var typeIdentifier: String { get }
    /// The four-character codes of the type and of the program that made the file.
    var typeAndCreator: NSFileProviderTypeAndCreator { get }
    /// The operations that are allowed on the item.
    var capabilities: NSFileProviderItemCapabilities { get }
    /// The item's flags in the file system: the owner's permissions, and whether it is hidden.
    var fileSystemFlags: NSFileProviderFileSystemFlags { get }
    /// The size of the contents in bytes.
    var documentSize: NSNumber? { get }
    /// The number of items in a directory.
    var childItemCount: NSNumber? { get }
    /// The date of creation.
    var creationDate: Date? { get }
    /// The date on which the contents were changed last.
    var contentModificationDate: Date? { get }
    /// The extended attributes that the provider stores with the item.
    var extendedAttributes: [String: Data] { get }
    /// The date on which the user used the item last. Items with one are in the working set.
    var lastUsedDate: Date? { get }
    /// The user's tags, in a format of the system. Items with tags are in the working set.
    var tagData: Data? { get }
    /// The rank among the favorites, 64 bits. Items with one are in the working set.
    var favoriteRank: NSNumber? { get }
    /// Whether the item itself is in the trash, not only a directory that it is in.
    var isTrashed: Bool { get }
    /// Whether the service has the latest contents.
    var isUploaded: Bool { get }
    /// Whether the contents are being uploaded.
    var isUploading: Bool { get }
    /// The error of the last upload.
    var uploadingError: (any Error)? { get }
    /// Whether the contents are local.
    var isDownloaded: Bool { get }
    /// Whether the contents are being downloaded.
    var isDownloading: Bool { get }
    /// The error of the last download.
    var downloadingError: (any Error)? { get }
    /// Whether the local contents are the service's latest.
    var isMostRecentVersionDownloaded: Bool { get }
    /// Whether other users can see the item.
    var isShared: Bool { get }
    /// Whether the item is shared and belongs to this user.
    var isSharedByCurrentUser: Bool { get }
    /// The name of the owner.
    var ownerNameComponents: PersonNameComponents? { get }
    /// The name of the last editor.
    var mostRecentEditorNameComponents: PersonNameComponents? { get }
    /// The version of the contents, which differs if they do; at most 1,000 bytes.
    var versionIdentifier: Data? { get }
    /// The versions of the contents and of the metadata.
    var itemVersion: NSFileProviderItemVersion { get }
    /// The target of a symbolic link.
    var symlinkTargetPath: String? { get }
    /// Values for the activation rules of the provider's actions.
    var userInfo: [AnyHashable: Any]? { get }
    /// The policy for materializing and evicting the contents.
    var contentPolicy: NSFileProviderContentPolicy { get }
}

/// An item of a provider: a file, a directory or a symbolic link.
///
/// Members are read on any thread. A class must have an identifier, a parent and a name, and one of `contentType` and
/// `typeIdentifier`.
///
/// Source: FileProvider, `NSFileProviderItem.h`.
public protocol NSFileProviderItemProtocol: NSFileProviderItemRequirements {
    /// The provider's identifier of the item.
    var itemIdentifier: NSFileProviderItemIdentifier { get }
    /// The identifier of the parent directory; ignored for the root.
    var parentItemIdentifier: NSFileProviderItemIdentifier { get }
    /// The name with its extension. It is never empty, not even the root's.
    var filename: String { get }

    // Declared once more as optional. Every class fulfils these requirements by an extension of this protocol, so
    // that the compiler uses them for an existential value.
    /// The type of the contents; `.folder` for a directory, `.symbolicLink` for a link. `nil` if its class does not
    /// have it.
    var contentType: UTType? { get }
    /// The identifier of the type, which ``contentType`` has superseded. `nil` if its class does not have it.
    var typeIdentifier: String? { get }
    /// The four-character codes of the type and of the program that made the file. `nil` if its class does not have
    /// it.
    var typeAndCreator: NSFileProviderTypeAndCreator? { get }
    /// The operations that are allowed on the item. `nil` if its class does not have it.
    var capabilities: NSFileProviderItemCapabilities? { get }
    /// The item's flags in the file system: the owner's permissions, and whether it is hidden. `nil` if its class
    /// does not have it.
    var fileSystemFlags: NSFileProviderFileSystemFlags? { get }
    /// The size of the contents in bytes. `nil` if its class does not have it.
    var documentSize: NSNumber?? { get }
    /// The number of items in a directory. `nil` if its class does not have it.
    var childItemCount: NSNumber?? { get }
    /// The date of creation. `nil` if its class does not have it.
    var creationDate: Date?? { get }
    /// The date on which the contents were changed last. `nil` if its class does not have it.
    var contentModificationDate: Date?? { get }
    /// The extended attributes that the provider stores with the item. `nil` if its class does not have it.
    var extendedAttributes: [String: Data]? { get }
    /// The date on which the user used the item last. Items with one are in the working set. `nil` if its class does
    /// not have it.
    var lastUsedDate: Date?? { get }
    /// The user's tags, in a format of the system. Items with tags are in the working set. `nil` if its class does
    /// not have it.
    var tagData: Data?? { get }
    /// The rank among the favorites, 64 bits. Items with one are in the working set. `nil` if its class does not have
    /// it.
    var favoriteRank: NSNumber?? { get }
    /// Whether the item itself is in the trash, not only a directory that it is in. `nil` if its class does not have
    /// it.
    var isTrashed: Bool? { get }
    /// Whether the service has the latest contents. `nil` if its class does not have it.
    var isUploaded: Bool? { get }
    /// Whether the contents are being uploaded. `nil` if its class does not have it.
    var isUploading: Bool? { get }
    /// The error of the last upload. `nil` if its class does not have it.
    var uploadingError: (any Error)?? { get }
    /// Whether the contents are local. `nil` if its class does not have it.
    var isDownloaded: Bool? { get }
    /// Whether the contents are being downloaded. `nil` if its class does not have it.
    var isDownloading: Bool? { get }
    /// The error of the last download. `nil` if its class does not have it.
    var downloadingError: (any Error)?? { get }
    /// Whether the local contents are the service's latest. `nil` if its class does not have it.
    var isMostRecentVersionDownloaded: Bool? { get }
    /// Whether other users can see the item. `nil` if its class does not have it.
    var isShared: Bool? { get }
    /// Whether the item is shared and belongs to this user. `nil` if its class does not have it.
    var isSharedByCurrentUser: Bool? { get }
    /// The name of the owner. `nil` if its class does not have it.
    var ownerNameComponents: PersonNameComponents?? { get }
    /// The name of the last editor. `nil` if its class does not have it.
    var mostRecentEditorNameComponents: PersonNameComponents?? { get }
    /// The version of the contents, which differs if they do; at most 1,000 bytes. `nil` if its class does not have
    /// it.
    var versionIdentifier: Data?? { get }
    /// The versions of the contents and of the metadata. `nil` if its class does not have it.
    var itemVersion: NSFileProviderItemVersion? { get }
    /// The target of a symbolic link. `nil` if its class does not have it.
    var symlinkTargetPath: String?? { get }
    /// Values for the activation rules of the provider's actions. `nil` if its class does not have it.
    var userInfo: [AnyHashable: Any]?? { get }
    /// The policy for materializing and evicting the contents. `nil` if its class does not have it.
    var contentPolicy: NSFileProviderContentPolicy? { get }
}

/// The name that programs use for an item, both for conformance and as the type of a value.
///
/// With Apple it is an `any NSFileProviderItemProtocol`, to which only Apple's importer lets a class conform.
public typealias NSFileProviderItem = NSFileProviderItemProtocol
