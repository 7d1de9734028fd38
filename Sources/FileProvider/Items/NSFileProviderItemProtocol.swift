import Foundation
import UniformTypeIdentifiers

/// The optional members of a class of items.
///
/// Programs conform to ``NSFileProviderItemProtocol`` instead. That protocol declares each member once more, as
/// optional: `item.contentType` of an `any NSFileProviderItemProtocol` is a `UTType?`, as on Apple's platforms. One
/// Swift protocol cannot declare both forms. Therefore this protocol declares the members in the form that classes
/// implement.
public protocol NSFileProviderItemRequirements: NSObjectProtocol {
    /// The type of the contents; `.folder` for a directory, `.symbolicLink` for a link. A class implements this or
    /// ``typeIdentifier``.
    var contentType: UTType { get }
    /// The identifier of the type. Superseded by ``contentType``.
    var typeIdentifier: String { get }
    /// The four-character codes of the type and of the program that created the file.
    var typeAndCreator: NSFileProviderTypeAndCreator { get }
    /// The operations that are allowed on the item.
    var capabilities: NSFileProviderItemCapabilities { get }
    /// The item's flags in the file system: the owner's permissions, and whether it is hidden.
    var fileSystemFlags: NSFileProviderFileSystemFlags { get }
    /// The size of the contents in bytes; `nil` if unknown.
    var documentSize: NSNumber? { get }
    /// The number of items in a directory; `nil` if unknown.
    var childItemCount: NSNumber? { get }
    /// The date of creation; `nil` if unknown.
    var creationDate: Date? { get }
    /// The date on which the contents were changed last; `nil` if unknown.
    var contentModificationDate: Date? { get }
    /// The extended attributes that the provider stores with the item.
    var extendedAttributes: [String: Data] { get }
    /// The date on which the user used the item last; `nil` if unknown. Items with such a date are in the working set.
    var lastUsedDate: Date? { get }
    /// The user's tags, in a format of the system; `nil` if there are none. Items with tags are in the working set.
    var tagData: Data? { get }
    /// The item's rank among the favorites, a 64-bit integer; `nil` if the item is not a favorite. Items with a rank
    /// are in the working set.
    var favoriteRank: NSNumber? { get }
    /// Whether the item itself was moved to the trash, and not only a directory above it.
    var isTrashed: Bool { get }
    /// Whether the service has the latest contents.
    var isUploaded: Bool { get }
    /// Whether the contents are being uploaded.
    var isUploading: Bool { get }
    /// The error of the last upload; `nil` if it did not fail.
    var uploadingError: (any Error)? { get }
    /// Whether the contents are local.
    var isDownloaded: Bool { get }
    /// Whether the contents are being downloaded.
    var isDownloading: Bool { get }
    /// The error of the last download; `nil` if it did not fail.
    var downloadingError: (any Error)? { get }
    /// Whether the local contents are the service's latest.
    var isMostRecentVersionDownloaded: Bool { get }
    /// Whether other users can see the item.
    var isShared: Bool { get }
    /// Whether the item is shared and belongs to the current user.
    var isSharedByCurrentUser: Bool { get }
    /// The name of the owner; `nil` if unknown.
    var ownerNameComponents: PersonNameComponents? { get }
    /// The name of the last editor; `nil` if unknown.
    var mostRecentEditorNameComponents: PersonNameComponents? { get }
    /// The version of the contents, at most 1,000 bytes; `nil` if unknown. Different contents have different versions.
    var versionIdentifier: Data? { get }
    /// The versions of the contents and of the metadata.
    var itemVersion: NSFileProviderItemVersion { get }
    /// The target of a symbolic link; `nil` for other items.
    var symlinkTargetPath: String? { get }
    /// The values that the activation rules of the provider's custom actions can examine; `nil` if there are none.
    var userInfo: [AnyHashable: Any]? { get }
    /// The policy for materializing and evicting the contents.
    var contentPolicy: NSFileProviderContentPolicy { get }
}

/// An item of a provider: a file, a directory or a symbolic link.
///
/// The system reads members on any thread. A class must declare an identifier, a parent, a name, and either
/// `contentType` or `typeIdentifier`.
///
/// Source: FileProvider, `NSFileProviderItem.h`.
public protocol NSFileProviderItemProtocol: NSFileProviderItemRequirements {
    /// The provider's identifier of the item.
    var itemIdentifier: NSFileProviderItemIdentifier { get }
    /// The identifier of the parent directory; ignored for the root.
    var parentItemIdentifier: NSFileProviderItemIdentifier { get }
    /// The name with its extension. It is never empty, not even that of the root.
    var filename: String { get }

    // The optional members, declared once more with optional types. An extension of this protocol implements these
    // requirements for every class. The compiler uses them for `any NSFileProviderItemProtocol`.
    /// The type of the contents; `.folder` for a directory, `.symbolicLink` for a link. `nil` if the item's class does
    /// not declare this member.
    var contentType: UTType? { get }
    /// The identifier of the type. Superseded by ``contentType``. `nil` if the item's class does not declare this
    /// member.
    var typeIdentifier: String? { get }
    /// The four-character codes of the type and of the program that created the file. `nil` if the item's class does
    /// not declare this member.
    var typeAndCreator: NSFileProviderTypeAndCreator? { get }
    /// The operations that are allowed on the item. `nil` if the item's class does not declare this member.
    var capabilities: NSFileProviderItemCapabilities? { get }
    /// The item's flags in the file system: the owner's permissions, and whether it is hidden. `nil` if the item's
    /// class does not declare this member.
    var fileSystemFlags: NSFileProviderFileSystemFlags? { get }
    /// The size of the contents in bytes; `nil` if unknown. The outer optional is `nil` if the item's class does not
    /// declare this member.
    var documentSize: NSNumber?? { get }
    /// The number of items in a directory; `nil` if unknown. The outer optional is `nil` if the item's class does not
    /// declare this member.
    var childItemCount: NSNumber?? { get }
    /// The date of creation; `nil` if unknown. The outer optional is `nil` if the item's class does not declare this
    /// member.
    var creationDate: Date?? { get }
    /// The date on which the contents were changed last; `nil` if unknown. The outer optional is `nil` if the item's
    /// class does not declare this member.
    var contentModificationDate: Date?? { get }
    /// The extended attributes that the provider stores with the item. `nil` if the item's class does not declare this
    /// member.
    var extendedAttributes: [String: Data]? { get }
    /// The date on which the user used the item last; `nil` if unknown. Items with such a date are in the working set.
    /// The outer optional is `nil` if the item's class does not declare this member.
    var lastUsedDate: Date?? { get }
    /// The user's tags, in a format of the system; `nil` if there are none. Items with tags are in the working set. The
    /// outer optional is `nil` if the item's class does not declare this member.
    var tagData: Data?? { get }
    /// The item's rank among the favorites, a 64-bit integer; `nil` if the item is not a favorite. Items with a rank
    /// are in the working set. The outer optional is `nil` if the item's class does not declare this member.
    var favoriteRank: NSNumber?? { get }
    /// Whether the item itself was moved to the trash, and not only a directory above it. `nil` if the item's class
    /// does not declare this member.
    var isTrashed: Bool? { get }
    /// Whether the service has the latest contents. `nil` if the item's class does not declare this member.
    var isUploaded: Bool? { get }
    /// Whether the contents are being uploaded. `nil` if the item's class does not declare this member.
    var isUploading: Bool? { get }
    /// The error of the last upload; `nil` if it did not fail. The outer optional is `nil` if the item's class does not
    /// declare this member.
    var uploadingError: (any Error)?? { get }
    /// Whether the contents are local. `nil` if the item's class does not declare this member.
    var isDownloaded: Bool? { get }
    /// Whether the contents are being downloaded. `nil` if the item's class does not declare this member.
    var isDownloading: Bool? { get }
    /// The error of the last download; `nil` if it did not fail. The outer optional is `nil` if the item's class does
    /// not declare this member.
    var downloadingError: (any Error)?? { get }
    /// Whether the local contents are the service's latest. `nil` if the item's class does not declare this member.
    var isMostRecentVersionDownloaded: Bool? { get }
    /// Whether other users can see the item. `nil` if the item's class does not declare this member.
    var isShared: Bool? { get }
    /// Whether the item is shared and belongs to the current user. `nil` if the item's class does not declare this
    /// member.
    var isSharedByCurrentUser: Bool? { get }
    /// The name of the owner; `nil` if unknown. The outer optional is `nil` if the item's class does not declare this
    /// member.
    var ownerNameComponents: PersonNameComponents?? { get }
    /// The name of the last editor; `nil` if unknown. The outer optional is `nil` if the item's class does not declare
    /// this member.
    var mostRecentEditorNameComponents: PersonNameComponents?? { get }
    /// The version of the contents, at most 1,000 bytes; `nil` if unknown. Different contents have different versions.
    /// The outer optional is `nil` if the item's class does not declare this member.
    var versionIdentifier: Data?? { get }
    /// The versions of the contents and of the metadata. `nil` if the item's class does not declare this member.
    var itemVersion: NSFileProviderItemVersion? { get }
    /// The target of a symbolic link; `nil` for other items. The outer optional is `nil` if the item's class does not
    /// declare this member.
    var symlinkTargetPath: String?? { get }
    /// The values that the activation rules of the provider's custom actions can examine; `nil` if there are none. The
    /// outer optional is `nil` if the item's class does not declare this member.
    var userInfo: [AnyHashable: Any]?? { get }
    /// The policy for materializing and evicting the contents. `nil` if the item's class does not declare this member.
    var contentPolicy: NSFileProviderContentPolicy? { get }
}

/// The name that programs use for items, both as the protocol of a class and as the type of a value.
///
/// On Apple's platforms, this name stands for `any NSFileProviderItemProtocol`. A class can conform to it only because
/// the compiler imports the name from Objective-C. On Linux, the name therefore stands for the protocol itself.
public typealias NSFileProviderItem = NSFileProviderItemProtocol
