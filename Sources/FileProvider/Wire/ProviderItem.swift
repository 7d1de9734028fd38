/// What a provider says of one item, as it travels between an extension's process and the engine.
///
/// A plain value with the system's own types: no property is more than the provider said. What a provider does not say is `nil`.
package struct ProviderItem: Sendable, Equatable {
    /// What an item is to the file system.
    package enum Kind: UInt8, Sendable {
        case file = 0
        case folder = 1
        case symbolicLink = 2
    }

    /// The identifier, `NSFileProviderItemIdentifier.rawValue`; the root is ``rootIdentifier``.
    package var identifier: String
    /// The parent's identifier.
    package var parent: String
    /// The name that the provider gave, whatever it is: no check was made.
    package var filename: String
    package var kind: Kind
    /// The identifier of the type; empty where the provider named none.
    package var contentType: String
    /// `NSFileProviderItemCapabilities.rawValue`.
    package var capabilities: UInt
    /// Bytes; `nil` where the provider does not know.
    package var size: Int64?
    package var childCount: Int?
    /// Seconds since 1970.
    package var created: Double?
    package var modified: Double?
    package var lastUsed: Double?
    /// The version of the contents: another one means other contents. At most 1,000 bytes. Made of size and date where the provider
    /// gives none; empty where it gives these neither.
    package var contentVersion: [UInt8]
    package var metadataVersion: [UInt8]
    package var favoriteRank: UInt64?
    package var tagData: [UInt8]? {
        get { boxedRest?.rest.tagData }
        set { rest.tagData = newValue }
    }
    package var flags: Flags
    /// `NSFileProviderFileSystemFlags.rawValue`; `nil` where the provider says nothing of them.
    package var fileSystemFlags: UInt?
    package var extendedAttributes: [String: [UInt8]] {
        get { boxedRest?.rest.extendedAttributes ?? [:] }
        set { rest.extendedAttributes = newValue }
    }
    package var linkTarget: String? {
        get { boxedRest?.rest.linkTarget }
        set { rest.linkTarget = newValue }
    }
    /// What the rules of the provider's actions are told of it.
    package var userInfo: [String: UserInfoValue] {
        get { boxedRest?.rest.userInfo ?? [:] }
        set { rest.userInfo = newValue }
    }
    /// Why the last upload of this item failed.
    package var uploadingError: ProviderFailure? {
        get { boxedRest?.rest.uploadingError }
        set { rest.uploadingError = newValue }
    }

    private var boxedRest: Box?

    /// A value of ``userInfo``. Truth values are 1 and 0, dates are seconds since 1970.
    package enum UserInfoValue: Sendable, Equatable {
        case number(Double)
        case text(String)
    }

    /// What is true of an item or not.
    package struct Flags: OptionSet, Sendable {
        package let rawValue: UInt16
        package init(rawValue: UInt16) { self.rawValue = rawValue }
        package static let trashed = Flags(rawValue: 1 << 0)
        package static let uploaded = Flags(rawValue: 1 << 1)
        package static let uploading = Flags(rawValue: 1 << 2)
        package static let downloaded = Flags(rawValue: 1 << 3)
        package static let downloading = Flags(rawValue: 1 << 4)
        package static let mostRecentVersionDownloaded = Flags(rawValue: 1 << 5)
        package static let shared = Flags(rawValue: 1 << 6)
        /// Of an answer to contents that were handed over: the service has made others of them, which are to be fetched. Of an answer
        /// with contents: they are none of this version, as where a program is in the middle of changing them.
        package static let hasOtherContents = Flags(rawValue: 1 << 7)
        /// Of an answer to a new file: the service has the file and its contents not yet, which are to be handed over again.
        package static let lacksContents = Flags(rawValue: 1 << 8)
        /// It has more extended attributes than are taken: none of them is here.
        package static let lacksAttributes = Flags(rawValue: 1 << 9)
        /// A file whose provider gives no version. ``contentVersion`` is made of its size and date.
        package static let lacksVersion = Flags(rawValue: 1 << 10)
        /// What only an answer says, and an item does not keep.
        package static let ofAnswers: Flags = [.hasOtherContents, .lacksContents]
    }

    /// `NSFileProviderItemIdentifier.rootContainer.rawValue`.
    package static let rootIdentifier = "NSFileProviderRootContainerItemIdentifier"
    package static let workingSetIdentifier = "NSFileProviderWorkingSetContainerItemIdentifier"
    package static let trashIdentifier = "NSFileProviderTrashContainerItemIdentifier"

    package init(identifier: String, parent: String, filename: String, kind: Kind) {
        self.identifier = identifier
        self.parent = parent
        self.filename = filename
        self.kind = kind
        contentType = ""
        capabilities = 0x3F
        contentVersion = []
        metadataVersion = []
        flags = [.uploaded]
    }

    // MARK: What hardly any item has

    /// Whether it has any of tags, extended attributes, a link's target, ``userInfo`` and ``uploadingError``.
    package var hasMore: Bool { boxedRest != nil }

    /// Apart from the item, of which millions are copied: each part of it that is counted takes its time.
    private struct Rest: Sendable, Equatable {
        var tagData: [UInt8]?
        var extendedAttributes: [String: [UInt8]] = [:]
        var linkTarget: String?
        var userInfo: [String: UserInfoValue] = [:]
        var uploadingError: ProviderFailure?
    }

    private final class Box: Sendable, Equatable {
        let rest: Rest

        init(_ rest: Rest) { self.rest = rest }

        static func == (one: Box, other: Box) -> Bool { one === other || one.rest == other.rest }
    }

    private var rest: Rest {
        get { boxedRest?.rest ?? Rest() }
        set { boxedRest = newValue == Rest() ? nil : Box(newValue) }
    }
}
