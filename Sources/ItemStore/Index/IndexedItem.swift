import ItemValues

/// One row of the index: an item's place in the local tree, the provider's last report, and the local changes since.
package struct IndexedItem: Sendable, Equatable {
    package var number: ItemNumber
    /// The parent in the local tree. After a local move that is not confirmed, it differs from the provider's parent.
    package var parent: ItemNumber
    /// The name in the local tree: the provider's name if it is valid and no sibling has it. UTF-8, 1 to 255 bytes,
    /// no `/`, not `.` or `..`.
    package var name: String
    /// The provider's last report. For an item that was created locally and is not at the provider yet, these are the
    /// wanted properties, and the identifier begins with ``localPrefix``.
    package var item: ProviderItem
    /// The local changes that the provider has not confirmed.
    package var changes: LocalChanges
    package var content: ContentState
    /// The number of the file's bytes that are local.
    package var localSize: Int64
    /// The version of the local contents, or the version that the local edit began with.
    package var localVersion: [UInt8]
    /// The modification date that was set or caused locally, in seconds since 1970. `nil` if the provider's date is
    /// valid. It becomes `nil` again when the provider has other contents.
    package var localModified: Double?
    /// The time of the last local change of name, place, mode, dates or extended attributes, in seconds since 1970.
    /// `nil` if there was no change. It becomes `nil` again when the provider has other contents.
    package var localChanged: Double?
    /// The mode that was set locally; `nil` if the provider's mode is valid (``givenMode``).
    package var mode: UInt16?
    package var listing: ListingState
    /// Whether the user pinned the item itself. A pinned directory pins everything in it, now and later.
    package var isPinned: Bool
    package var attributes = LocalAttributes()
    /// Whether the item lies in a pinned directory. The index maintains this when the item moves.
    package var isPinnedByFolder = false
    /// The local byte ranges of a ``ContentState/partial`` file. They may be incomplete: a local range may be missing.
    package var parts = ByteRanges()

    package init(
        number: ItemNumber, parent: ItemNumber, name: String, item: ProviderItem, changes: LocalChanges,
        content: ContentState, localSize: Int64, localVersion: [UInt8], localModified: Double?,
        localChanged: Double? = nil, mode: UInt16?, listing: ListingState, isPinned: Bool,
        attributes: LocalAttributes = LocalAttributes(), isPinnedByFolder: Bool = false,
        parts: ByteRanges = ByteRanges()
    ) {
        self.number = number
        self.parent = parent
        self.name = name
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

    /// The prefix of identifiers that this machine assigned.
    package static let localPrefix = "purvey-local:"

    /// Whether the item is pinned, itself or through a directory above.
    package var staysLocal: Bool { isPinned || isPinnedByFolder }

    /// Whether the provider knows the item.
    package var isKnownToProvider: Bool { !item.identifier.hasPrefix(Self.localPrefix) }
}

/// The kinds of local changes that the provider has not confirmed.
package struct LocalChanges: OptionSet, Sendable, Hashable {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The item was made locally.
    package static let created = LocalChanges(rawValue: 1 << 0)
    package static let contents = LocalChanges(rawValue: 1 << 1)
    /// The item was renamed, moved, or both.
    package static let place = LocalChanges(rawValue: 1 << 2)
    /// The item was removed locally: it is hidden, and its row stays as a tombstone until the provider confirms the
    /// removal.
    package static let deleted = LocalChanges(rawValue: 1 << 3)
    /// The directory or link is being imported again. It stays when its removal at the provider is applied. Changes of
    /// dates and modes do not set this.
    package static let attributes = LocalChanges(rawValue: 1 << 4)
}

/// The state of a directory's listing in the index.
package enum ListingState: UInt8, Sendable {
    /// The directory was never listed.
    case never = 0
    /// Some pages were listed.
    case partial = 1
    case complete = 2
}

extension IndexedItem {
    /// The maximum number of directories above an item that are visited. A path has at most `PATH_MAX` bytes (4096), so
    /// at most 2048 names. Deeper trees can be made with relative paths. The limit also ends a walk through parents
    /// that a provider reports in a cycle.
    package static let mostAncestors = 2048
}

/// Permissions as the provider reports them.
extension IndexedItem {
    /// `NSFileProviderItemCapabilities.allowsWriting`, which for directories is `allowsAddingSubItems`.
    private static let writingCapability: UInt = 1 << 1
    /// `NSFileProviderFileSystemFlags.userExecutable` and `.userWritable`.
    private static let executableFlag: UInt = 1 << 0
    private static let writableFlag: UInt = 1 << 2

    /// Whether the provider permits changes of the file's contents, or of the directory's items.
    package var allowsWriting: Bool {
        hasWritingCapability && item.fileSystemFlags.map { $0 & Self.writableFlag != 0 } ?? true
    }

    /// Whether the local mode lets the owner write and the provider allows this, so that the engine can send the
    /// permission.
    package var isSetToBeWritable: Bool { hasWritingCapability && mode.map { $0 & 0o200 != 0 } ?? false }

    private var hasWritingCapability: Bool { item.capabilities & Self.writingCapability != 0 }

    private var isExecutable: Bool {
        item.fileSystemFlags.map { $0 & Self.executableFlag != 0 } ?? false
    }

    /// The permission bits that apply if none were set locally.
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

/// The number of an item in its domain: its row in the index and its inode in the mount, as long as the item exists.
package struct ItemNumber: RawRepresentable, Hashable, Sendable {
    package let rawValue: Int64

    package init(rawValue: Int64) { self.rawValue = rawValue }

    package static let root = ItemNumber(rawValue: 1)
}
