import Foundation
import UniformTypeIdentifiers

/// Defaults for a class that does not declare a member. ``contentType`` and ``typeIdentifier`` are derived from each
/// other, if the class declares one of them. The values of all other defaults are not used, because through `any
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
    /// A default for a class that does not declare this member. Its value is not used: through `any
    /// NSFileProviderItem`, the member is `nil`.
    public var typeAndCreator: NSFileProviderTypeAndCreator { OptionalMember.missing(NSFileProviderTypeAndCreator()) }
    /// A default for a class that does not declare this member. Its value is not used: through `any
    /// NSFileProviderItem`, the member is `nil`.
    public var capabilities: NSFileProviderItemCapabilities { OptionalMember.missing([.allowsReading]) }
    /// A default for a class that does not declare this member. Its value is not used: through `any
    /// NSFileProviderItem`, the member is `nil`.
    public var fileSystemFlags: NSFileProviderFileSystemFlags { OptionalMember.missing([]) }
    /// A default for a class that does not declare this member. Its value is not used: through `any
    /// NSFileProviderItem`, the member is `nil`.
    public var documentSize: NSNumber? { OptionalMember.missing(nil) }
    /// A default for a class that does not declare this member. Its value is not used: through `any
    /// NSFileProviderItem`, the member is `nil`.
    public var childItemCount: NSNumber? { OptionalMember.missing(nil) }
    /// A default for a class that does not declare this member. Its value is not used: through `any
    /// NSFileProviderItem`, the member is `nil`.
    public var creationDate: Date? { OptionalMember.missing(nil) }
    /// A default for a class that does not declare this member. Its value is not used: through `any
    /// NSFileProviderItem`, the member is `nil`.
    public var contentModificationDate: Date? { OptionalMember.missing(nil) }
    /// A default for a class that does not declare this member. Its value is not used: through `any
    /// NSFileProviderItem`, the member is `nil`.
    public var extendedAttributes: [String: Data] { OptionalMember.missing([:]) }
    /// A default for a class that does not declare this member. Its value is not used: through `any
    /// NSFileProviderItem`, the member is `nil`.
    public var lastUsedDate: Date? { OptionalMember.missing(nil) }
    /// A default for a class that does not declare this member. Its value is not used: through `any
    /// NSFileProviderItem`, the member is `nil`.
    public var tagData: Data? { OptionalMember.missing(nil) }
    /// A default for a class that does not declare this member. Its value is not used: through `any
    /// NSFileProviderItem`, the member is `nil`.
    public var favoriteRank: NSNumber? { OptionalMember.missing(nil) }
    /// Whether the item itself was moved to the trash, and not only a directory above it. This default is for a class
    /// that does not declare this member. Its value is not used: through `any NSFileProviderItem`, the member is `nil`.
    public var isTrashed: Bool { OptionalMember.missing(false) }
    /// Whether the service has the latest contents. This default is for a class that does not declare this member. Its
    /// value is not used: through `any NSFileProviderItem`, the member is `nil`.
    public var isUploaded: Bool { OptionalMember.missing(true) }
    /// Whether the contents are being uploaded. This default is for a class that does not declare this member. Its
    /// value is not used: through `any NSFileProviderItem`, the member is `nil`.
    public var isUploading: Bool { OptionalMember.missing(false) }
    /// A default for a class that does not declare this member. Its value is not used: through `any
    /// NSFileProviderItem`, the member is `nil`.
    public var uploadingError: (any Error)? { OptionalMember.missing(nil) }
    /// Whether the contents are local. This default is for a class that does not declare this member. Its value is not
    /// used: through `any NSFileProviderItem`, the member is `nil`.
    public var isDownloaded: Bool { OptionalMember.missing(false) }
    /// Whether the contents are being downloaded. This default is for a class that does not declare this member. Its
    /// value is not used: through `any NSFileProviderItem`, the member is `nil`.
    public var isDownloading: Bool { OptionalMember.missing(false) }
    /// A default for a class that does not declare this member. Its value is not used: through `any
    /// NSFileProviderItem`, the member is `nil`.
    public var downloadingError: (any Error)? { OptionalMember.missing(nil) }
    /// Whether the local contents are the service's latest. This default is for a class that does not declare this
    /// member. Its value is not used: through `any NSFileProviderItem`, the member is `nil`.
    public var isMostRecentVersionDownloaded: Bool { OptionalMember.missing(false) }
    /// Whether other users can see the item. This default is for a class that does not declare this member. Its value
    /// is not used: through `any NSFileProviderItem`, the member is `nil`.
    public var isShared: Bool { OptionalMember.missing(false) }
    /// Whether the item is shared and belongs to the current user. This default is for a class that does not declare
    /// this member. Its value is not used: through `any NSFileProviderItem`, the member is `nil`.
    public var isSharedByCurrentUser: Bool { OptionalMember.missing(false) }
    /// A default for a class that does not declare this member. Its value is not used: through `any
    /// NSFileProviderItem`, the member is `nil`.
    public var ownerNameComponents: PersonNameComponents? { OptionalMember.missing(nil) }
    /// A default for a class that does not declare this member. Its value is not used: through `any
    /// NSFileProviderItem`, the member is `nil`.
    public var mostRecentEditorNameComponents: PersonNameComponents? { OptionalMember.missing(nil) }
    /// A default for a class that does not declare this member. Its value is not used: through `any
    /// NSFileProviderItem`, the member is `nil`.
    public var versionIdentifier: Data? { OptionalMember.missing(nil) }
    /// A default for a class that does not declare this member. Its value is not used: through `any
    /// NSFileProviderItem`, the member is `nil`.
    public var itemVersion: NSFileProviderItemVersion { OptionalMember.missing(NSFileProviderItemVersion()) }
    /// A default for a class that does not declare this member. Its value is not used: through `any
    /// NSFileProviderItem`, the member is `nil`.
    public var symlinkTargetPath: String? { OptionalMember.missing(nil) }
    /// A default for a class that does not declare this member. Its value is not used: through `any
    /// NSFileProviderItem`, the member is `nil`.
    public var userInfo: [AnyHashable: Any]? { OptionalMember.missing(nil) }
    /// A default for a class that does not declare this member. Its value is not used: through `any
    /// NSFileProviderItem`, the member is `nil`.
    public var contentPolicy: NSFileProviderContentPolicy {
        OptionalMember.missing(NSFileProviderContentPolicy.inherited)
    }
}
