import Foundation

/// Options for creating an item.
///
/// Source: FileProvider, `NSFileProviderReplicatedExtension.h`.
public struct NSFileProviderCreateItemOptions: OptionSet, Sendable {
    /// The bits of the set.
    public let rawValue: UInt
    /// Creates a set from its bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }
    /// An item that the service may have already, because the system found the item on disk.
    public static let mayAlreadyExist = Self(rawValue: 1 << 0)
    /// An item that was edited locally and deleted by the service.
    public static let deletionConflicted = Self(rawValue: 1 << 1)
}

/// Options for modifying an item.
///
/// Source: FileProvider, `NSFileProviderReplicatedExtension.h`.
public struct NSFileProviderModifyItemOptions: OptionSet, Sendable {
    /// The bits of the set.
    public let rawValue: UInt
    /// Creates a set from its bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }
    /// A modification that the service may have already.
    public static let mayAlreadyExist = Self(rawValue: 1 << 0)
    /// A modification that fails if the service has other contents than those that the modification is based on.
    public static let failOnConflict = Self(rawValue: 1 << 1)
    /// An upload that was requested in the program that shows the item. The user waits for the upload.
    public static let isImmediateUploadRequestByPresentingApplication = Self(rawValue: 1 << 2)
}

/// Options for deleting an item.
///
/// Source: FileProvider, `NSFileProviderReplicatedExtension.h`.
public struct NSFileProviderDeleteItemOptions: OptionSet, Sendable {
    /// The bits of the set.
    public let rawValue: UInt
    /// Creates a set from its bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }
    /// The deletion of a directory with everything in it.
    public static let recursive = Self(rawValue: 1 << 0)
}

/// Options for fetching a byte range of a file.
///
/// Source: FileProvider, `NSFileProviderReplicatedExtension.h`.
public struct NSFileProviderFetchContentsOptions: OptionSet, Sendable {
    /// The bits of the set.
    public let rawValue: UInt
    /// Creates a set from its bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }
    /// A fetch that fails if the service has another version than the requested one.
    public static let strictVersioning = Self(rawValue: 1 << 0)
}

/// Properties of a fetched byte range.
///
/// Source: FileProvider, `NSFileProviderReplicatedExtension.h`.
public struct NSFileProviderMaterializationFlags: OptionSet, Sendable {
    /// The bits of the set.
    public let rawValue: UInt
    /// Creates a set from its bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }
    /// A file whose holes are also holes at the service.
    public static let knownSparseRanges = Self(rawValue: 1 << 0)
}

/// The origin of a request to a provider.
///
/// Source: FileProvider, `NSFileProviderRequest.h`.
open class NSFileProviderRequest: NSObject {
    /// Whether the request comes from the system itself.
    open var isSystemRequest: Bool { false }
    /// Whether the request comes from a program that shows files.
    open var isFileViewerRequest: Bool { false }
    /// The program that caused the request; `nil` if it is unknown or not disclosed.
    open var requestingExecutable: URL? { nil }
    /// The version of the domain that the system had at the time of the request.
    open var domainVersion: NSFileProviderDomainVersion? { nil }
}
