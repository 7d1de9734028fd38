import Foundation
import UniformTypeIdentifiers

/// What a class has that leaves a member out. Nobody sees the values: ``NSFileProviderItemProtocol`` reads `nil`.
extension NSFileProviderItemRequirements {
    /// The type that ``typeIdentifier`` names.
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
    /// Left out.
    public var typeAndCreator: NSFileProviderTypeAndCreator { OptionalMember.missing(NSFileProviderTypeAndCreator()) }
    /// Left out.
    public var capabilities: NSFileProviderItemCapabilities { OptionalMember.missing([.allowsReading]) }
    /// Left out.
    public var fileSystemFlags: NSFileProviderFileSystemFlags { OptionalMember.missing([]) }
    /// Left out.
    public var documentSize: NSNumber? { OptionalMember.missing(nil) }
    /// Left out.
    public var childItemCount: NSNumber? { OptionalMember.missing(nil) }
    /// Left out.
    public var creationDate: Date? { OptionalMember.missing(nil) }
    /// Left out.
    public var contentModificationDate: Date? { OptionalMember.missing(nil) }
    /// Left out.
    public var extendedAttributes: [String: Data] { OptionalMember.missing([:]) }
    /// Left out.
    public var lastUsedDate: Date? { OptionalMember.missing(nil) }
    /// Left out.
    public var tagData: Data? { OptionalMember.missing(nil) }
    /// Left out.
    public var favoriteRank: NSNumber? { OptionalMember.missing(nil) }
    /// Left out.
    public var isTrashed: Bool { OptionalMember.missing(false) }
    /// Left out.
    public var isUploaded: Bool { OptionalMember.missing(true) }
    /// Left out.
    public var isUploading: Bool { OptionalMember.missing(false) }
    /// Left out.
    public var uploadingError: (any Error)? { OptionalMember.missing(nil) }
    /// Left out.
    public var isDownloaded: Bool { OptionalMember.missing(false) }
    /// Left out.
    public var isDownloading: Bool { OptionalMember.missing(false) }
    /// Left out.
    public var downloadingError: (any Error)? { OptionalMember.missing(nil) }
    /// Left out.
    public var isMostRecentVersionDownloaded: Bool { OptionalMember.missing(false) }
    /// Left out.
    public var isShared: Bool { OptionalMember.missing(false) }
    /// Left out.
    public var isSharedByCurrentUser: Bool { OptionalMember.missing(false) }
    /// Left out.
    public var ownerNameComponents: PersonNameComponents? { OptionalMember.missing(nil) }
    /// Left out.
    public var mostRecentEditorNameComponents: PersonNameComponents? { OptionalMember.missing(nil) }
    /// Left out.
    public var versionIdentifier: Data? { OptionalMember.missing(nil) }
    /// Left out.
    public var itemVersion: NSFileProviderItemVersion { OptionalMember.missing(NSFileProviderItemVersion()) }
    /// Left out.
    public var symlinkTargetPath: String? { OptionalMember.missing(nil) }
    /// Left out.
    public var userInfo: [AnyHashable: Any]? { OptionalMember.missing(nil) }
    /// Left out.
    public var contentPolicy: NSFileProviderContentPolicy {
        OptionalMember.missing(NSFileProviderContentPolicy.inherited)
    }
}
