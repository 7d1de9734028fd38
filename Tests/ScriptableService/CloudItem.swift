/// An item as the service stores it.
package struct CloudItem: Codable, Sendable, Equatable {
    package enum Kind: String, Codable, Sendable {
        case file, folder, link
    }

    package var identifier: String
    package var parent: String
    package var name: String
    package var kind: Kind
    /// The number of bytes that the service reports; a rule may make it wrong.
    package var size: Int
    /// The version, which differs after each change of the contents.
    package var version: Int
    /// The modification date in seconds since 1970.
    package var modified: Double
    package var linkTarget: String?
    /// The tags in the provider's format, which the service does not interpret.
    package var tagData: [UInt8]?
    package var favoriteRank: UInt64?
    /// The user's permissions: a sum of 1 for executing, 2 for reading and 4 for writing.
    package var permissions: UInt?
    package var attributes: [String: [UInt8]]?
    /// The former directory of a trashed item; `nil` for other items.
    package var former: String?

    /// The identifier of the root directory, which is its own parent.
    package static let root = "root"
    /// The parent identifier of items in the trash.
    package static let trash = "trash"
    /// The path of the trash in the paths that tests use.
    package static let trashPath = ".trash"

    package init(
        identifier: String, parent: String, name: String, kind: Kind, size: Int = 0, version: Int = 1,
        modified: Double = 0, linkTarget: String? = nil
    ) {
        self.identifier = identifier
        self.parent = parent
        self.name = name
        self.kind = kind
        self.size = size
        self.version = version
        self.modified = modified
        self.linkTarget = linkTarget
    }
}

/// A property that a provider can set on an item at the service.
package enum CloudMetadata: Codable, Sendable, Equatable {
    case tagData([UInt8]?)
    case favoriteRank(UInt64?)
    case modified(Double)
    case permissions(UInt)
    case attributes([String: [UInt8]])
}
