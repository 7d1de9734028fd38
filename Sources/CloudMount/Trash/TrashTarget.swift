import Fuse
import Glibc
import ItemStore

/// The name of a user's trash in the root of a mount.
struct TrashName: Sendable {
    private static let prefix = ".Trash-"

    let own: String
    /// The name under which the mount shows an item of the service that has the name of the trash.
    let other: String

    init(of user: UInt32) {
        own = Self.prefix + "\(user)"
        other = MountName.numbered(own, 2)
    }

    /// Whether the given name is the name of any user's trash.
    static func isTrash(_ name: Name) -> Bool {
        guard let text = name.text else { return false }
        if text == ".Trash" { return true }
        let rest = text.utf8.dropFirst(prefix.utf8.count)
        return text.hasPrefix(prefix) && !rest.isEmpty
            && rest.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }
}

/// A node of the trash in a mount. The inode numbers of the trash begin far above the inode numbers of items.
enum TrashTarget: Hashable, Sendable {
    /// `.Trash-UID`
    case top
    /// `files`, which contains the items in the trash.
    case files
    /// `info`, which contains the `.trashinfo` file of each item.
    case info
    /// `expunged`, into which file managers move items before they remove them. It is always empty.
    case expunged
    /// An item in the trash, or in a directory in the trash, by the number of its node.
    case item(Int64)
    /// The `.trashinfo` file of an item, or a plain file that a file manager created in `.Trash-UID`, by the number of
    /// its node.
    case infoFile(Int64)

    private static let base: UInt64 = 1 << 62

    /// Creates the target with the given inode number; returns `nil` if the number belongs to an item outside of the
    /// trash.
    init?(_ node: NodeID) {
        guard node.rawValue >= Self.base else { return nil }
        let rest = node.rawValue - Self.base
        switch rest {
        case 1: self = .top
        case 2: self = .files
        case 3: self = .info
        case 4: self = .expunged
        case _ where rest % 2 == 0: self = .item(Int64(rest / 2))
        default: self = .infoFile(Int64(rest / 2))
        }
    }

    var node: NodeID {
        switch self {
        case .top: NodeID(rawValue: Self.base + 1)
        case .files: NodeID(rawValue: Self.base + 2)
        case .info: NodeID(rawValue: Self.base + 3)
        case .expunged: NodeID(rawValue: Self.base + 4)
        case .item(let number): NodeID(rawValue: Self.base + UInt64(number) * 2)
        case .infoFile(let number): NodeID(rawValue: Self.base + UInt64(number) * 2 + 1)
        }
    }

    /// The fixed directories in `.Trash-UID`.
    static let folders: [(name: String, target: TrashTarget)] = [
        ("files", .files), ("info", .info), ("expunged", .expunged),
    ]
}
