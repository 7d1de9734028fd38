import FileProvider
import Foundation
import UniformTypeIdentifiers

/// An item with only the required properties.
final class BareItem: NSObject, NSFileProviderItemProtocol {
    let itemIdentifier: NSFileProviderItemIdentifier
    let parentItemIdentifier: NSFileProviderItemIdentifier
    let filename: String

    init(_ identifier: String, parent: NSFileProviderItemIdentifier = .rootContainer, name: String = "name") {
        itemIdentifier = NSFileProviderItemIdentifier(identifier)
        parentItemIdentifier = parent
        filename = name
    }
}

/// An item with every property.
final class FullItem: NSObject, NSFileProviderItemDecorating {
    var itemIdentifier = NSFileProviderItemIdentifier("full")
    var parentItemIdentifier = NSFileProviderItemIdentifier("parent")
    var filename = "Full.txt"
    var contentType = UTType.plainText
    var typeIdentifier = "public.plain-text"
    var typeAndCreator = NSFileProviderTypeAndCreator(type: 1, creator: 2)
    var capabilities: NSFileProviderItemCapabilities = [.allowsReading, .allowsDeleting]
    var fileSystemFlags: NSFileProviderFileSystemFlags = [.userReadable, .userExecutable]
    var documentSize: NSNumber? = 42
    var childItemCount: NSNumber? = 3
    var creationDate: Date? = Date(timeIntervalSince1970: 100)
    var contentModificationDate: Date? = Date(timeIntervalSince1970: 200.5)
    var extendedAttributes: [String: Data] = ["user.color": Data([7])]
    var lastUsedDate: Date? = Date(timeIntervalSince1970: 300)
    var tagData: Data? = Data([8, 9])
    var favoriteRank: NSNumber? = 5
    var isTrashed = true
    var isUploaded = false
    var isUploading = true
    var uploadingError: (any Error)? = NSFileProviderError(.insufficientQuota)
    var isDownloaded = true
    var isDownloading = true
    var downloadingError: (any Error)? = NSFileProviderError(.serverUnreachable)
    var isMostRecentVersionDownloaded = true
    var isShared = true
    var isSharedByCurrentUser = true
    var ownerNameComponents: PersonNameComponents? = {
        var components = PersonNameComponents()
        components.givenName = "Ada"
        return components
    }()
    var mostRecentEditorNameComponents: PersonNameComponents? = PersonNameComponents()
    var versionIdentifier: Data? = Data([1])
    var itemVersion = NSFileProviderItemVersion(contentVersion: Data([2]), metadataVersion: Data([3]))
    var symlinkTargetPath: String? = "../target"
    var userInfo: [AnyHashable: Any]? = ["key": "value"]
    var contentPolicy = NSFileProviderContentPolicy.downloadLazily
    var decorations: [NSFileProviderItemDecorationIdentifier]? = [NSFileProviderItemDecorationIdentifier("badge")]
}

/// An item from before `contentType` existed.
final class OlderItem: NSObject, NSFileProviderItemProtocol {
    let itemIdentifier = NSFileProviderItemIdentifier("older")
    let parentItemIdentifier = NSFileProviderItemIdentifier.rootContainer
    let filename = "name"
    let typeIdentifier: String
    let versionIdentifier: Data? = Data("v".utf8)

    init(_ typeIdentifier: String = "public.folder") { self.typeIdentifier = typeIdentifier }
}

/// An item without `typeIdentifier`. Its properties read the same properties of another item.
final class NewerItem: NSObject, NSFileProviderItemProtocol {
    let itemIdentifier = NSFileProviderItemIdentifier("newer")
    let parentItemIdentifier = NSFileProviderItemIdentifier.rootContainer
    let filename = "name"
    let contentType = UTType.png
    let other: any NSFileProviderItem = BareItem("other")
    var isShared: Bool { other.isShared == nil }
}

/// An item that forwards every property to another one.
final class WrappingItem: NSObject, NSFileProviderItemProtocol {
    let wrapped: any NSFileProviderItem
    init(_ wrapped: any NSFileProviderItem) { self.wrapped = wrapped }
    var itemIdentifier: NSFileProviderItemIdentifier { wrapped.itemIdentifier }
    var parentItemIdentifier: NSFileProviderItemIdentifier { wrapped.parentItemIdentifier }
    var filename: String { wrapped.filename }
    var typeIdentifier: String { wrapped.typeIdentifier ?? "" }
}
