import MobileCoreServices

/// The rank of a favorite that has none yet: whoever sets it asks the system to choose one.
public let NSFileProviderFavoriteRankUnranked: UInt64 = 0

/// What may be done with an item.
///
/// Source: FileProvider, `NSFileProviderItem.h`.
public struct NSFileProviderItemCapabilities: OptionSet, Sendable {
    /// The bits of the set.
    public let rawValue: UInt
    /// A set from its bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// Its contents may be read.
    public static let allowsReading = Self(rawValue: 1 << 0)
    /// Its contents may be changed.
    public static let allowsWriting = Self(rawValue: 1 << 1)
    /// It may be moved to another folder.
    public static let allowsReparenting = Self(rawValue: 1 << 2)
    /// It may be given another name.
    public static let allowsRenaming = Self(rawValue: 1 << 3)
    /// It may be put into the trash.
    public static let allowsTrashing = Self(rawValue: 1 << 4)
    /// It may be removed for good.
    public static let allowsDeleting = Self(rawValue: 1 << 5)
    /// The person may give up the copy of its contents on this machine.
    public static let allowsEvicting = Self(rawValue: 1 << 6)
    /// The person may have it stay on this machine only.
    public static let allowsExcludingFromSync = Self(rawValue: 1 << 7)
    /// Items may be put into the folder: the same as ``allowsWriting``.
    public static let allowsAddingSubItems = allowsWriting
    /// The folder may be listed: the same as ``allowsReading``.
    public static let allowsContentEnumerating = allowsReading
    /// Everything that there was at first: the first six.
    public static let allowsAll: Self = [
        .allowsReading, .allowsWriting, .allowsReparenting, .allowsRenaming, .allowsTrashing, .allowsDeleting,
    ]
}

/// Parts of an item, to say which of them are meant.
///
/// Source: FileProvider, `NSFileProviderItem.h`.
public struct NSFileProviderItemFields: OptionSet, Sendable {
    /// The bits of the set.
    public let rawValue: UInt
    /// A set from its bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// The bytes of the file.
    public static let contents = Self(rawValue: 1 << 0)
    /// `filename`
    public static let filename = Self(rawValue: 1 << 1)
    /// `parentItemIdentifier`
    public static let parentItemIdentifier = Self(rawValue: 1 << 2)
    /// `lastUsedDate`
    public static let lastUsedDate = Self(rawValue: 1 << 3)
    /// `tagData`
    public static let tagData = Self(rawValue: 1 << 4)
    /// `favoriteRank`
    public static let favoriteRank = Self(rawValue: 1 << 5)
    /// `creationDate`
    public static let creationDate = Self(rawValue: 1 << 6)
    /// `contentModificationDate`
    public static let contentModificationDate = Self(rawValue: 1 << 7)
    /// `fileSystemFlags`
    public static let fileSystemFlags = Self(rawValue: 1 << 8)
    /// `extendedAttributes`
    public static let extendedAttributes = Self(rawValue: 1 << 9)
    /// `typeAndCreator`
    public static let typeAndCreator = Self(rawValue: 1 << 10)
}

/// What the file system shows of an item.
///
/// Source: FileProvider, `NSFileProviderItem.h`.
public struct NSFileProviderFileSystemFlags: OptionSet, Sendable {
    /// The bits of the set.
    public let rawValue: UInt
    /// A set from its bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// Its owner may run it.
    public static let userExecutable = Self(rawValue: 1 << 0)
    /// Its owner may read it.
    public static let userReadable = Self(rawValue: 1 << 1)
    /// Its owner may change it.
    public static let userWritable = Self(rawValue: 1 << 2)
    /// It is not shown.
    public static let hidden = Self(rawValue: 1 << 3)
    /// Its name is shown without its extension.
    public static let pathExtensionHidden = Self(rawValue: 1 << 4)
}

/// The four-character codes of a file's type and of the program that made it, as there were on the first Macintosh.
///
/// Source: FileProvider, `NSFileProviderItem.h`.
public struct NSFileProviderTypeAndCreator: Sendable {
    /// The type's.
    public var type: OSType
    /// The program's.
    public var creator: OSType

    /// No codes: zeros.
    public init() { self.init(type: 0, creator: 0) }

    /// These codes.
    public init(type: OSType, creator: OSType) {
        self.type = type
        self.creator = creator
    }
}

/// When the contents of an item are fetched and given up.
///
/// Source: FileProvider, `NSFileProviderItem.h`.
public enum NSFileProviderContentPolicy: Int, Sendable {
    /// As of the folder that it is in.
    case inherited = 0
    /// Fetched when they are used, given up when space is needed.
    case downloadLazily = 1
    /// The same, and given up when the service has others.
    case downloadLazilyAndEvictOnRemoteUpdate = 2
    /// Fetched as soon as the item is known, and never given up.
    case downloadEagerlyAndKeepDownloaded = 3
}

/// An item with badges or labels.
///
/// Source: FileProvider, `NSFileProviderItemDecoration.h`.
public protocol NSFileProviderItemDecorating: NSFileProviderItemProtocol {
    /// What the provider's property list calls them.
    var decorations: [NSFileProviderItemDecorationIdentifier]? { get }
}
