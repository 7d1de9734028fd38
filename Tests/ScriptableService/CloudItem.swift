/// An item as the service keeps it.
package struct CloudItem: Codable, Sendable, Equatable {
    package enum Kind: String, Codable, Sendable {
        case file, folder, link
    }

    package var identifier: String
    package var parent: String
    package var name: String
    package var kind: Kind
    /// Bytes, as the service says: a rule may have it lie.
    package var size: Int
    /// Another one with each change of the contents.
    package var version: Int
    /// Seconds since 1970.
    package var modified: Double
    package var linkTarget: String?
    /// What the provider gave it, whatever that means.
    package var tagData: [UInt8]?
    package var favoriteRank: UInt64?
    /// What a person may do with it: 1 run, 2 read and 4 write it.
    package var permissions: UInt?
    package var attributes: [String: [UInt8]]?
    /// Of what was put into the trash: the folder that it was in.
    package var former: String?

    /// The folder that everything is in; it is in itself.
    package static let root = "root"
    /// What lies in the trash says that it is in this.
    package static let trash = "trash"
    /// The trash in the paths that tests use.
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

/// Something that a provider may have kept with an item.
package enum CloudFact: Codable, Sendable, Equatable {
    case tagData([UInt8]?)
    case favoriteRank(UInt64?)
    case modified(Double)
    case permissions(UInt)
    case attributes([String: [UInt8]])
}
