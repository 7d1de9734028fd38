import MobileCoreServices

/// The value of `favoriteRank` for a favorite without a rank of its own. The system chooses its position.
public let NSFileProviderFavoriteRankUnranked: UInt64 = 0

/// The operations that are allowed on an item.
///
/// Source: FileProvider, `NSFileProviderItem.h`.
public struct NSFileProviderItemCapabilities: OptionSet, Sendable {
    /// The bits of the set.
    public let rawValue: UInt
    /// Creates a set from its bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// Permission to read the contents.
    public static let allowsReading = Self(rawValue: 1 << 0)
    /// Permission to change the contents.
    public static let allowsWriting = Self(rawValue: 1 << 1)
    /// Permission to move the item to another directory.
    public static let allowsReparenting = Self(rawValue: 1 << 2)
    /// Permission to rename the item.
    public static let allowsRenaming = Self(rawValue: 1 << 3)
    /// Permission to move the item into the trash.
    public static let allowsTrashing = Self(rawValue: 1 << 4)
    /// Permission to delete the item.
    public static let allowsDeleting = Self(rawValue: 1 << 5)
    /// Permission for the user to evict the item.
    public static let allowsEvicting = Self(rawValue: 1 << 6)
    /// Permission for the user to exclude the item from synchronization.
    public static let allowsExcludingFromSync = Self(rawValue: 1 << 7)
    /// Permission to add items to the directory: the same as ``allowsWriting``.
    public static let allowsAddingSubItems = allowsWriting
    /// Permission to list the directory: the same as ``allowsReading``.
    public static let allowsContentEnumerating = allowsReading
    /// All capabilities except evicting and excluding from synchronization.
    public static let allowsAll: Self = [
        .allowsReading, .allowsWriting, .allowsReparenting, .allowsRenaming, .allowsTrashing, .allowsDeleting,
    ]
}

/// Fields of an item.
///
/// Source: FileProvider, `NSFileProviderItem.h`.
public struct NSFileProviderItemFields: OptionSet, Sendable {
    /// The bits of the set.
    public let rawValue: UInt
    /// Creates a set from its bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// The contents of the file.
    public static let contents = Self(rawValue: 1 << 0)
    /// The field `filename`.
    public static let filename = Self(rawValue: 1 << 1)
    /// The field `parentItemIdentifier`.
    public static let parentItemIdentifier = Self(rawValue: 1 << 2)
    /// The field `lastUsedDate`.
    public static let lastUsedDate = Self(rawValue: 1 << 3)
    /// The field `tagData`.
    public static let tagData = Self(rawValue: 1 << 4)
    /// The field `favoriteRank`.
    public static let favoriteRank = Self(rawValue: 1 << 5)
    /// The field `creationDate`.
    public static let creationDate = Self(rawValue: 1 << 6)
    /// The field `contentModificationDate`.
    public static let contentModificationDate = Self(rawValue: 1 << 7)
    /// The field `fileSystemFlags`.
    public static let fileSystemFlags = Self(rawValue: 1 << 8)
    /// The field `extendedAttributes`.
    public static let extendedAttributes = Self(rawValue: 1 << 9)
    /// The field `typeAndCreator`.
    public static let typeAndCreator = Self(rawValue: 1 << 10)
}

/// An item's flags in the file system.
///
/// Source: FileProvider, `NSFileProviderItem.h`.
public struct NSFileProviderFileSystemFlags: OptionSet, Sendable {
    /// The bits of the set.
    public let rawValue: UInt
    /// Creates a set from its bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// Permission of the owner to execute the file.
    public static let userExecutable = Self(rawValue: 1 << 0)
    /// Permission of the owner to read the item.
    public static let userReadable = Self(rawValue: 1 << 1)
    /// Permission of the owner to change the item.
    public static let userWritable = Self(rawValue: 1 << 2)
    /// A hidden item.
    public static let hidden = Self(rawValue: 1 << 3)
    /// An item that is shown without the extension of its name.
    public static let pathExtensionHidden = Self(rawValue: 1 << 4)
}

/// The four-character codes of a file's type and of the program that created it, as on the first Macintosh.
///
/// Source: FileProvider, `NSFileProviderItem.h`.
public struct NSFileProviderTypeAndCreator: Sendable {
    /// The code of the type.
    public var type: OSType
    /// The code of the program.
    public var creator: OSType

    /// Creates a value whose codes are both zero.
    public init() { self.init(type: 0, creator: 0) }

    /// Creates a value with the given codes.
    public init(type: OSType, creator: OSType) {
        self.type = type
        self.creator = creator
    }
}

/// The policy for materializing and evicting an item's contents.
///
/// Source: FileProvider, `NSFileProviderItem.h`.
public enum NSFileProviderContentPolicy: Int, Sendable {
    /// The policy of the directory that contains the item.
    case inherited = 0
    /// Contents that are fetched when they are used, and evicted when space is needed.
    case downloadLazily = 1
    /// Contents that are fetched and evicted as with ``downloadLazily``, and also evicted when they change at the
    /// provider.
    case downloadLazilyAndEvictOnRemoteUpdate = 2
    /// Contents that are fetched as soon as the item is known, and never evicted.
    case downloadEagerlyAndKeepDownloaded = 3
}

/// An item with badges or labels.
///
/// Source: FileProvider, `NSFileProviderItemDecoration.h`.
public protocol NSFileProviderItemDecorating: NSFileProviderItemProtocol {
    /// The identifiers of the badges and labels, as in the provider's property list.
    var decorations: [NSFileProviderItemDecorationIdentifier]? { get }
}
