import FileProvider
import Foundation

/// The properties of an item that only some services have. They are stored in the catalogue with the item.
public struct DAVTraits: Hashable, Sendable, Codable {
    /// The service's own identifier of the item, which stays the same through moves; `nil` if the service has none.
    public var identity: String?
    /// The raw value of the item's capabilities; `nil` if the service does not report them, so that everything is
    /// permitted.
    public var capabilities: UInt?
    /// The total size in bytes of a folder and its descendants.
    public var folderSize: Int64?
    /// The raw value of the item's file system flags; `nil` for a file that the user can read and write.
    public var fileSystemFlags: UInt?
    /// The rank among the favorites; `nil` if the item is not a favorite.
    public var favoriteRank: UInt64?
    /// The tags, in the form of ``NSFileProviderItemProtocol/tagData``.
    public var tagData: [UInt8]?
    /// Whether other users have access to the item.
    public var isShared = false
    /// Further values, which actions and activation rules can use.
    public var details: [String: String] = [:]

    /// Creates empty traits.
    public init() {}
}
