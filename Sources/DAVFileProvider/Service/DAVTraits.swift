import FileProvider
import Foundation

/// The properties of an item that only some services have. They are stored in the catalogue with the item.
public struct DAVTraits: Hashable, Sendable, Codable {
    /// The service's own name of the item, which stays the same through moves; `nil` if it has none.
    public var identity: String?
    /// The bits of the item's capabilities; `nil` if the service does not report them, which permits everything.
    public var capabilities: UInt?
    /// The size of a folder with everything in it.
    public var folderSize: Int64?
    /// The bits of the item's flags in the file system; `nil` for a file that the user can read and write.
    public var fileSystemFlags: UInt?
    /// The rank among the favorites.
    public var favoriteRank: UInt64?
    /// The tags, as ``NSFileProviderItemProtocol/tagData`` has them.
    public var tagData: [UInt8]?
    /// Whether others have access to the item.
    public var isShared = false
    /// Further values, which actions and activation rules can use.
    public var details: [String: String] = [:]

    /// Creates the traits of an item without properties of this kind.
    public init() {}
}
