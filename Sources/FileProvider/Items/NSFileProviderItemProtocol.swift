import Foundation
import UniformTypeIdentifiers

/// What a class of items may leave out.
///
/// A program conforms to ``NSFileProviderItemProtocol`` instead, through which a member that may be left out reads as
/// one
/// that may be absent: `item.contentType` of an `any NSFileProviderItemProtocol` is a `UTType?`, as with Apple. A Swift
/// protocol cannot have both, so this one has what a class implements.
public protocol NSFileProviderItemRequirements: NSObjectProtocol {
    /// The type of its contents; `.folder` for a folder, `.symbolicLink` for a link. Stands for ``typeIdentifier``
    /// and the other way round.
    var contentType: UTType { get }
    /// The identifier of the type of its contents, as it was before ``contentType``.
    var typeIdentifier: String { get }
    /// The four-character codes of its type and of the program that made it.
    var typeAndCreator: NSFileProviderTypeAndCreator { get }
    /// What may be done with it.
    var capabilities: NSFileProviderItemCapabilities { get }
    /// What the file system shows of it: permissions of its owner, whether it is hidden.
    var fileSystemFlags: NSFileProviderFileSystemFlags { get }
    /// How many bytes its contents have.
    var documentSize: NSNumber? { get }
    /// How many items are in it, if it is a folder.
    var childItemCount: NSNumber? { get }
    /// When it was made.
    var creationDate: Date? { get }
    /// When its contents were changed.
    var contentModificationDate: Date? { get }
    /// The extended attributes that the provider keeps with it.
    var extendedAttributes: [String: Data] { get }
    /// When the person used it last. An item that has one is in the working set.
    var lastUsedDate: Date? { get }
    /// The tags that the person gave it, in a form of the system's. An item that has some is in the working set.
    var tagData: Data? { get }
    /// Where it stands among the favorites: a number of 64 bits. An item that has one is in the working set.
    var favoriteRank: NSNumber? { get }
    /// Whether it is in the trash itself, not only in a folder that is.
    var isTrashed: Bool { get }
    /// Whether the service has its latest contents.
    var isUploaded: Bool { get }
    /// Whether its contents are on their way to the service.
    var isUploading: Bool { get }
    /// Why its contents could not be sent to the service.
    var uploadingError: (any Error)? { get }
    /// Whether its contents are on this machine.
    var isDownloaded: Bool { get }
    /// Whether its contents are on their way to this machine.
    var isDownloading: Bool { get }
    /// Why its contents could not be fetched.
    var downloadingError: (any Error)? { get }
    /// Whether the contents on this machine are the service's latest.
    var isMostRecentVersionDownloaded: Bool { get }
    /// Whether other people can see it.
    var isShared: Bool { get }
    /// Whether it is shared and belongs to this person.
    var isSharedByCurrentUser: Bool { get }
    /// Whose it is.
    var ownerNameComponents: PersonNameComponents? { get }
    /// Who changed it last.
    var mostRecentEditorNameComponents: PersonNameComponents? { get }
    /// Another one means other contents; at most 1,000 bytes.
    var versionIdentifier: Data? { get }
    /// The versions of its contents and of the rest.
    var itemVersion: NSFileProviderItemVersion { get }
    /// Where it points, if it is a symbolic link.
    var symlinkTargetPath: String? { get }
    /// What the rules of the provider's actions are told of it.
    var userInfo: [AnyHashable: Any]? { get }
    /// When its contents are fetched and given up.
    var contentPolicy: NSFileProviderContentPolicy { get }
}

/// One item of a provider: a file, a folder or a symbolic link.
///
/// Items are asked on any thread. A class has to have an identifier, a parent and a name, and one of `contentType` and
/// `typeIdentifier`.
///
/// Source: FileProvider, `NSFileProviderItem.h`.
public protocol NSFileProviderItemProtocol: NSFileProviderItemRequirements {
    /// What the provider calls it.
    var itemIdentifier: NSFileProviderItemIdentifier { get }
    /// The folder that it is in; of the root, ignored.
    var parentItemIdentifier: NSFileProviderItemIdentifier { get }
    /// Its name, with its extension. Never empty, not even the root's.
    var filename: String { get }

    // Requirements again, which every class fulfils by what the extension has: so the compiler takes these for an item of which
    // it does not know the class.
    /// The type of its contents; `.folder` for a folder, `.symbolicLink` for a link. `nil` if its class does not say.
    var contentType: UTType? { get }
    /// The identifier of the type of its contents, as it was before ``contentType``. `nil` if its class does not say.
    var typeIdentifier: String? { get }
    /// The four-character codes of its type and of the program that made it. `nil` if its class does not say.
    var typeAndCreator: NSFileProviderTypeAndCreator? { get }
    /// What may be done with it. `nil` if its class does not say.
    var capabilities: NSFileProviderItemCapabilities? { get }
    /// What the file system shows of it: permissions of its owner, whether it is hidden. `nil` if its class does not
    /// say.
    var fileSystemFlags: NSFileProviderFileSystemFlags? { get }
    /// How many bytes its contents have. `nil` if its class does not say.
    var documentSize: NSNumber?? { get }
    /// How many items are in it, if it is a folder. `nil` if its class does not say.
    var childItemCount: NSNumber?? { get }
    /// When it was made. `nil` if its class does not say.
    var creationDate: Date?? { get }
    /// When its contents were changed. `nil` if its class does not say.
    var contentModificationDate: Date?? { get }
    /// The extended attributes that the provider keeps with it. `nil` if its class does not say.
    var extendedAttributes: [String: Data]? { get }
    /// When the person used it last. An item that has one is in the working set. `nil` if its class does not say.
    var lastUsedDate: Date?? { get }
    /// The tags that the person gave it, in a form of the system's. An item that has some is in the working set.
    /// `nil` if its class does not say.
    var tagData: Data?? { get }
    /// Where it stands among the favorites: a number of 64 bits. An item that has one is in the working set. `nil` if
    /// its class does not say.
    var favoriteRank: NSNumber?? { get }
    /// Whether it is in the trash itself, not only in a folder that is. `nil` if its class does not say.
    var isTrashed: Bool? { get }
    /// Whether the service has its latest contents. `nil` if its class does not say.
    var isUploaded: Bool? { get }
    /// Whether its contents are on their way to the service. `nil` if its class does not say.
    var isUploading: Bool? { get }
    /// Why its contents could not be sent to the service. `nil` if its class does not say.
    var uploadingError: (any Error)?? { get }
    /// Whether its contents are on this machine. `nil` if its class does not say.
    var isDownloaded: Bool? { get }
    /// Whether its contents are on their way to this machine. `nil` if its class does not say.
    var isDownloading: Bool? { get }
    /// Why its contents could not be fetched. `nil` if its class does not say.
    var downloadingError: (any Error)?? { get }
    /// Whether the contents on this machine are the service's latest. `nil` if its class does not say.
    var isMostRecentVersionDownloaded: Bool? { get }
    /// Whether other people can see it. `nil` if its class does not say.
    var isShared: Bool? { get }
    /// Whether it is shared and belongs to this person. `nil` if its class does not say.
    var isSharedByCurrentUser: Bool? { get }
    /// Whose it is. `nil` if its class does not say.
    var ownerNameComponents: PersonNameComponents?? { get }
    /// Who changed it last. `nil` if its class does not say.
    var mostRecentEditorNameComponents: PersonNameComponents?? { get }
    /// Another one means other contents; at most 1,000 bytes. `nil` if its class does not say.
    var versionIdentifier: Data?? { get }
    /// The versions of its contents and of the rest. `nil` if its class does not say.
    var itemVersion: NSFileProviderItemVersion? { get }
    /// Where it points, if it is a symbolic link. `nil` if its class does not say.
    var symlinkTargetPath: String?? { get }
    /// What the rules of the provider's actions are told of it. `nil` if its class does not say.
    var userInfo: [AnyHashable: Any]?? { get }
    /// When its contents are fetched and given up. `nil` if its class does not say.
    var contentPolicy: NSFileProviderContentPolicy? { get }
}

/// The name that programs write for an item, as what a class conforms to and as the type of a value.
///
/// With Apple it is an `any NSFileProviderItemProtocol`, which only their importer lets a class conform to.
public typealias NSFileProviderItem = NSFileProviderItemProtocol
