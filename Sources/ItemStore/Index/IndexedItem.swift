import ItemValues

/// One row of the index: an item's place in the local tree, the provider's last report of the item, and the local
/// changes that are not confirmed.
package struct IndexedItem: Sendable, Equatable {
    package var number: ItemNumber
    /// The item's directory in the local tree. After a local move that is not confirmed, it differs from the directory
    /// that the provider reported.
    package var parent: ItemNumber
    /// The name in the local tree: the provider's name, or a similar one if that name is not valid or a sibling has it.
    /// 1 to 255 bytes of UTF-8, no `/`, not `.` or `..`.
    package var name: String {
        get { exactName.string }
        set { exactName = ExactText(newValue) }
    }
    /// The provider's last report. For an item that was created locally and that the provider does not have yet, these
    /// are the wanted properties, and the identifier begins with ``localPrefix``.
    package var item: ProviderItem
    /// The local changes that the provider has not confirmed.
    package var changes: LocalChanges
    package var content: ContentState
    /// The number of the file's bytes that are local.
    package var localSize: Int64
    /// The version of the local contents. If they were edited, the version that the edit is based on.
    package var localVersion: [UInt8]
    /// The modification date that was set or caused locally, in seconds since 1970; `nil` if the provider's date
    /// applies. It becomes `nil` when the provider reports other contents.
    package var localModified: Double?
    /// The date of the last local change of name, place, mode, dates or extended attributes, in seconds since 1970;
    /// `nil` if there was no such change. It becomes `nil` when the provider reports other contents.
    package var localChanged: Double?
    /// The mode that was set locally; `nil` if the mode that follows from the provider's report applies
    /// (``givenMode``).
    package var mode: UInt16?
    package var listing: ListingState
    /// Whether the user pinned this item itself. A pinned directory pins everything in it, including items that are
    /// added later.
    package var isPinned: Bool
    package var attributes = LocalAttributes()
    /// Whether a directory above the item is pinned. The index updates this when the item moves.
    package var isPinnedByFolder = false
    /// The local byte ranges of a file in the state ``ContentState/partial``. A local range may be missing here.
    package var parts = ByteRanges()

    // Rows whose names differ only in their Unicode normal form are not equal.
    private var exactName: ExactText

    package init(
        number: ItemNumber, parent: ItemNumber, name: String, item: ProviderItem, changes: LocalChanges,
        content: ContentState, localSize: Int64, localVersion: [UInt8], localModified: Double?,
        localChanged: Double? = nil, mode: UInt16?, listing: ListingState, isPinned: Bool,
        attributes: LocalAttributes = LocalAttributes(), isPinnedByFolder: Bool = false,
        parts: ByteRanges = ByteRanges()
    ) {
        self.number = number
        self.parent = parent
        exactName = ExactText(name)
        self.item = item
        self.changes = changes
        self.content = content
        self.localSize = localSize
        self.localVersion = localVersion
        self.localModified = localModified
        self.localChanged = localChanged
        self.mode = mode
        self.listing = listing
        self.isPinned = isPinned
        self.attributes = attributes
        self.isPinnedByFolder = isPinnedByFolder
        self.parts = parts
    }

    /// The prefix of identifiers that this machine assigned to items which the provider does not have yet.
    package static let localPrefix = "purvey-local:"

    /// The prefix of identifiers that this machine assigned to items whose identifier at the provider is unknown,
    /// because another item has got it. The engine learns the new one when it lists the item's directory.
    package static let stalePrefix = "purvey-stale:"

    /// Whether only this machine assigns identifiers like the given one.
    package static func isReserved(_ identifier: String) -> Bool {
        identifier.hasPrefix(localPrefix) || identifier.hasPrefix(stalePrefix)
    }

    /// Whether the item is pinned, by itself or by a directory above it.
    package var staysLocal: Bool { isPinned || isPinnedByFolder }

    /// Whether the item is visible: it was not removed locally.
    package var isShown: Bool { !changes.contains(.deleted) }

    /// Whether the provider knows the item: the item's identifier was assigned by the provider.
    package var isKnownToProvider: Bool { !item.identifier.hasPrefix(Self.localPrefix) }
}

/// The kinds of local changes that the provider has not confirmed.
package struct LocalChanges: OptionSet, Sendable, Hashable {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The item was created locally.
    package static let created = LocalChanges(rawValue: 1 << 0)
    package static let contents = LocalChanges(rawValue: 1 << 1)
    /// The item was renamed, moved, or both.
    package static let place = LocalChanges(rawValue: 1 << 2)
    /// The item was removed locally. It is hidden, and its row stays as a tombstone until the provider confirms the
    /// removal.
    package static let deleted = LocalChanges(rawValue: 1 << 3)
    /// The directory or symbolic link is being imported again. Because of this change, the item stays in the index when
    /// its removal at the provider is applied. Changes of dates and modes do not set this flag.
    package static let attributes = LocalChanges(rawValue: 1 << 4)
}

/// The completeness of a directory's listing in the index.
package enum ListingState: UInt8, Sendable {
    /// The directory was never listed.
    case never = 0
    /// Some pages of the listing were applied.
    case partial = 1
    case complete = 2
}

extension IndexedItem {
    /// The maximum number of directories above an item that are visited. A path has at most `PATH_MAX` (4096) bytes, so
    /// at most 2048 names, but a program can create deeper trees with relative paths. The limit also ends a walk
    /// through parents that a provider reports in a cycle.
    package static let mostAncestors = 2048
}

/// The permissions that follow from the provider's report.
extension IndexedItem {
    /// `NSFileProviderItemCapabilities.allowsWriting`, which for directories is `allowsAddingSubItems`.
    private static let writingCapability: UInt = 1 << 1
    /// `NSFileProviderFileSystemFlags.userExecutable` and `.userWritable`.
    private static let executableFlag: UInt = 1 << 0
    private static let writableFlag: UInt = 1 << 2

    /// Whether the provider allows changing the file's contents, or adding items to the directory.
    package var allowsWriting: Bool {
        hasWritingCapability && item.fileSystemFlags.map { $0 & Self.writableFlag != 0 } ?? true
    }

    /// Whether the locally set mode gives the owner write permission, and the provider allows writing, so that the
    /// engine may send this permission.
    package var isSetToBeWritable: Bool { hasWritingCapability && mode.map { $0 & 0o200 != 0 } ?? false }

    private var hasWritingCapability: Bool { item.capabilities & Self.writingCapability != 0 }

    private var isExecutable: Bool {
        item.fileSystemFlags.map { $0 & Self.executableFlag != 0 } ?? false
    }

    /// The permission bits that apply if no mode was set locally.
    package var givenMode: UInt16 {
        let standard: UInt16 =
            switch item.kind {
            case .folder: 0o755
            case .file: isExecutable ? 0o755 : 0o644
            case .symbolicLink: 0o777
            }
        return allowsWriting || item.kind == .symbolicLink ? standard : standard & ~0o222
    }
}

/// The number of an item in its domain. It identifies the item's row in the index and the item's inode in the mount, as
/// long as the item exists.
package struct ItemNumber: RawRepresentable, Hashable, Sendable {
    package let rawValue: Int64

    package init(rawValue: Int64) { self.rawValue = rawValue }

    package static let root = ItemNumber(rawValue: 1)
}
