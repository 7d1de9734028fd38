/// How an item is made.
///
/// Source: FileProvider, `NSFileProviderReplicatedExtension.h`.
public struct NSFileProviderCreateItemOptions: OptionSet, Sendable {
    /// The bits of the set.
    public let rawValue: UInt
    /// A set from its bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }
    /// The service may have the item already: it was found on disk.
    public static let mayAlreadyExist = Self(rawValue: 1 << 0)
    /// The service has removed the item, and it was edited here.
    public static let deletionConflicted = Self(rawValue: 1 << 1)
}

/// How an item is changed.
///
/// Source: FileProvider, `NSFileProviderReplicatedExtension.h`.
public struct NSFileProviderModifyItemOptions: OptionSet, Sendable {
    /// The bits of the set.
    public let rawValue: UInt
    /// A set from its bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }
    /// The service may have the item so already.
    public static let mayAlreadyExist = Self(rawValue: 1 << 0)
    /// Fails when the service has other contents than the change began with.
    public static let failOnConflict = Self(rawValue: 1 << 1)
    /// The person waits for it in the program that shows the item.
    public static let isImmediateUploadRequestByPresentingApplication = Self(rawValue: 1 << 2)
}

/// How an item is removed.
///
/// Source: FileProvider, `NSFileProviderReplicatedExtension.h`.
public struct NSFileProviderDeleteItemOptions: OptionSet, Sendable {
    /// The bits of the set.
    public let rawValue: UInt
    /// A set from its bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }
    /// A folder with everything in it.
    public static let recursive = Self(rawValue: 1 << 0)
}

/// How a part of a file is fetched.
///
/// Source: FileProvider, `NSFileProviderReplicatedExtension.h`.
public struct NSFileProviderFetchContentsOptions: OptionSet, Sendable {
    /// The bits of the set.
    public let rawValue: UInt
    /// A set from its bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }
    /// Fails when the service has another version than the one that was asked for.
    public static let strictVersioning = Self(rawValue: 1 << 0)
}

/// What is true of a part of a file that was fetched.
///
/// Source: FileProvider, `NSFileProviderReplicatedExtension.h`.
public struct NSFileProviderMaterializationFlags: OptionSet, Sendable {
    /// The bits of the set.
    public let rawValue: UInt
    /// A set from its bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }
    /// The holes of the file are holes of the service's, too.
    public static let knownSparseRanges = Self(rawValue: 1 << 0)
}
