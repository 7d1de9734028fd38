/// An access to one item that a claim requests.
package struct Access: Hashable, Sendable {
    /// The kind of access, and the preparations that the item's presenters must make before it.
    package struct Traits: OptionSet, Hashable, Sendable {
        package let rawValue: UInt16
        package init(rawValue: UInt16) { self.rawValue = rawValue }

        /// The item is written. Without this trait, it is read.
        package static let writes = Traits(rawValue: 1 << 0)
        /// Presenters save the item before the claim is granted.
        package static let saves = Traits(rawValue: 1 << 1)
        /// The item is to be deleted.
        package static let deletes = Traits(rawValue: 1 << 2)
        /// The item is to be moved.
        package static let moves = Traits(rawValue: 1 << 3)
        /// The item is to be replaced by another item. If another claim moves the item first, the access still concerns
        /// the original path.
        package static let replaces = Traits(rawValue: 1 << 4)
        /// The item's contents are neither read nor changed. Therefore presenters continue to use the item, and its
        /// contents are not fetched.
        package static let isQuiet = Traits(rawValue: 1 << 5)
        /// The item's contents are to be evicted. They can be fetched again.
        package static let evicts = Traits(rawValue: 1 << 6)

        /// Whether the traits are a valid combination: only a written item can be deleted, moved, replaced or evicted.
        package var areSound: Bool {
            contains(.writes) || isDisjoint(with: [.deletes, .moves, .replaces, .evicts])
        }
    }

    /// The absolute path of the item. Symbolic links in its parents are resolved.
    package var path: ExactPath
    /// The path with which conflicting accesses are found. It is the path of the outermost package that contains the
    /// item, or of the item itself if no package contains it.
    package var key: ExactPath
    package let traits: Traits

    package init(path: ExactPath, key: ExactPath, traits: Traits) {
        self.path = path
        self.key = key
        self.traits = traits
    }

    package var writes: Bool { traits.contains(.writes) }
}

/// Operations on paths in the form that the arbiter compares: absolute, and with no links, `.` or `..`.
package enum PlainPath {
    /// Whether `path` lies beneath `parent`.
    package static func isBeneath(_ path: ExactPath, _ parent: ExactPath) -> Bool {
        if parent == "/" { return path != "/" }
        guard path.continues(parent) else { return false }
        return path.utf8[path.utf8.index(path.utf8.startIndex, offsetBy: parent.utf8.count)] == UInt8(ascii: "/")
    }

    package static func isAtOrBeneath(_ path: ExactPath, _ parent: ExactPath) -> Bool {
        path == parent || isBeneath(path, parent)
    }

    /// Whether `left` precedes `right`. In this order, each path is directly followed by all paths beneath it.
    package static func precedes(_ left: ExactPath, _ right: ExactPath) -> Bool {
        // With this rank, the slash sorts before every byte of a name.
        func rank(_ byte: UInt8) -> UInt8 { byte == UInt8(ascii: "/") ? 0 : byte }
        return left.utf8.lexicographicallyPrecedes(right.utf8) { rank($0) < rank($1) }
    }

    /// Returns the path that the item at `path` has after `source` was moved to `destination`. `path` is at or beneath
    /// `source`.
    package static func moved(_ path: ExactPath, from source: ExactPath, to destination: ExactPath) -> ExactPath {
        ExactPath(destination.string + String(decoding: path.utf8.dropFirst(source.utf8.count), as: UTF8.self))
    }
}
