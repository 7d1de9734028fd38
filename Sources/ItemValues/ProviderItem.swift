/// An item as its provider reported it. It is a plain value, which the extension's process sends to the engine. Values
/// that the provider did not report are `nil`.
@usableFromInline package struct ProviderItem: Sendable, Equatable {
    /// The kind of an item.
    package enum Kind: UInt8, Sendable {
        case file = 0
        case folder = 1
        case symbolicLink = 2
    }

    /// The item's identifier, `NSFileProviderItemIdentifier.rawValue`. The root has ``rootIdentifier``.
    @inlinable package var identifier: String {
        get { exactIdentifier.string }
        set { exactIdentifier = ExactText(newValue) }
    }
    /// The identifier of the parent.
    @inlinable package var parent: String {
        get { exactParent.string }
        set { exactParent = ExactText(newValue) }
    }
    /// The name as the provider reported it. It may not be a valid file name.
    @inlinable package var filename: String {
        get { exactFilename.string }
        set { exactFilename = ExactText(newValue) }
    }
    package var kind: Kind
    /// The type's identifier; empty if the provider reported none.
    package var contentType: String
    /// `NSFileProviderItemCapabilities.rawValue`.
    package var capabilities: UInt
    /// The size in bytes; `nil` if the provider does not know it.
    package var size: Int64?
    package var childCount: Int?
    /// The date of creation, in seconds since 1970. The following dates are in seconds since 1970, too.
    package var created: Double?
    package var modified: Double?
    package var lastUsed: Double?
    /// The version tag of the contents, at most 1,000 bytes. Different contents have different tags. If the provider
    /// reports no version, the tag is computed from size and date. Empty if neither is known.
    package var contentVersion: [UInt8]
    package var metadataVersion: [UInt8]
    package var favoriteRank: UInt64?
    package var tagData: [UInt8]? {
        get { boxedRest?.rest.tagData }
        set { rest.tagData = newValue }
    }
    package var flags: Flags
    /// `NSFileProviderFileSystemFlags.rawValue`; `nil` if the provider did not report the flags.
    package var fileSystemFlags: UInt?
    package var extendedAttributes: [String: [UInt8]] {
        get { boxedRest?.rest.extendedAttributes ?? [:] }
        set { rest.extendedAttributes = newValue }
    }
    package var linkTarget: String? {
        get { boxedRest?.rest.linkTarget?.string }
        set { rest.linkTarget = newValue.map { ExactText($0) } }
    }
    /// Whether this symbolic link and the given one have the same target, or both have none.
    package func hasTarget(of other: ProviderItem) -> Bool {
        boxedRest?.rest.linkTarget == other.boxedRest?.rest.linkTarget
    }
    /// Values for the provider's own use in the activation rules of its actions.
    package var userInfo: [String: UserInfoValue] {
        get { boxedRest?.rest.userInfo ?? [:] }
        set { rest.userInfo = newValue }
    }
    /// The failure of the item's last upload, as the provider reports it; `nil` if it reports none.
    package var uploadFailure: ItemFailure? {
        get { boxedRest?.rest.uploadFailure }
        set { rest.uploadFailure = newValue }
    }

    private var boxedRest: Box?

    // Items whose texts differ only in their Unicode normal form are not equal.
    @usableFromInline var exactIdentifier: ExactText
    @usableFromInline var exactParent: ExactText
    @usableFromInline var exactFilename: ExactText

    /// A value of ``userInfo``. Booleans are 1 and 0, dates are seconds since 1970.
    package enum UserInfoValue: Sendable, Equatable {
        case number(Double)
        case text(String)
    }

    /// The Boolean properties of an item.
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
        /// The contents do not match the item's version. In the reply to an upload: the service has changed the
        /// contents, so the engine must fetch them. In the reply to a fetch: the contents do not belong to the item's
        /// version, for example because a program is changing them.
        package static let hasOtherContents = Flags(rawValue: 1 << 7)
        /// The service did not receive the contents of the new file. Set only in the reply to the file's creation. The
        /// engine must upload the contents again.
        package static let lacksContents = Flags(rawValue: 1 << 8)
        /// The item has more extended attributes than the limit allows. None of them are included.
        package static let lacksAttributes = Flags(rawValue: 1 << 9)
        /// The provider reports no version for the file. ``contentVersion`` is computed from its size and date.
        package static let lacksVersion = Flags(rawValue: 1 << 10)
        /// This user has shared the item with others.
        package static let sharedByCurrentUser = Flags(rawValue: 1 << 11)
        /// The flags that occur only in replies to requests. They are not stored with the item.
        package static let ofAnswers: Flags = [.hasOtherContents, .lacksContents]
    }

    /// `NSFileProviderItemIdentifier.rootContainer.rawValue`.
    package static let rootIdentifier = "NSFileProviderRootContainerItemIdentifier"
    package static let workingSetIdentifier = "NSFileProviderWorkingSetContainerItemIdentifier"
    package static let trashIdentifier = "NSFileProviderTrashContainerItemIdentifier"

    /// Whether the item lies directly in the trash.
    package var isInTrash: Bool { flags.contains(.trashed) || parent == Self.trashIdentifier }

    package init(identifier: String, parent: String, filename: String, kind: Kind) {
        exactIdentifier = ExactText(identifier)
        exactParent = ExactText(parent)
        exactFilename = ExactText(filename)
        self.kind = kind
        contentType = ""
        capabilities = 0x3F
        contentVersion = []
        metadataVersion = []
        flags = [.uploaded]
    }

    // MARK: Rare members

    /// Whether the item has at least one of the following: tags, extended attributes, the target of a symbolic link,
    /// ``userInfo``, ``uploadFailure``.
    package var hasMore: Bool { boxedRest != nil }

    /// The rarely used members, in a separate allocation. Items are copied by the million, and each reference-counted
    /// member makes a copy slower.
    private struct Rest: Sendable, Equatable {
        var tagData: [UInt8]?
        var extendedAttributes: [String: [UInt8]] = [:]
        var linkTarget: ExactText?
        var userInfo: [String: UserInfoValue] = [:]
        var uploadFailure: ItemFailure?
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

/// The failure of an upload, or of another change of an item, in the form in which it is stored with the item.
///
/// It is a plain value. The module `FileProviderWire` defines the kinds, as `ProviderError.Kind`.
package struct ItemFailure: Sendable, Equatable {
    /// The raw value of the failure's kind, at most 127.
    package var kind: UInt8
    /// The domain and code of the provider's `NSError`; an empty text and 0 if there is no such error.
    package var domain: String
    package var code: Int
    /// One sentence for the user.
    package var message: String
    /// After a name collision, the identifier of the item that has the requested name; otherwise `nil`.
    package var collidingItem: String?
    /// The provider's suggestion of a remedy, for the user; `nil` if there is none.
    package var suggestion: String?

    package init(
        kind: UInt8, domain: String, code: Int, message: String, collidingItem: String? = nil,
        suggestion: String? = nil
    ) {
        self.kind = kind
        self.domain = domain
        self.code = code
        self.message = message
        self.collidingItem = collidingItem
        self.suggestion = suggestion
    }
}

/// A set of a domain's items that the provider's own programs can list.
package enum ItemSet: UInt8, Sendable {
    /// The items with local contents: files with all of their bytes, directories that were listed, and symbolic links.
    case materialized = 0
    /// The items with local changes that the provider does not have yet.
    case pending = 1
}
