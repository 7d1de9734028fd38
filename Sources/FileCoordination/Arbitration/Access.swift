/// What a claim wants to do with one item.
package struct Access: Hashable, Sendable {
    /// How the item is used, and what its presenters are asked for beforehand.
    package struct Traits: OptionSet, Hashable, Sendable {
        package let rawValue: UInt16
        package init(rawValue: UInt16) { self.rawValue = rawValue }

        /// It is written; without this it is read.
        package static let writes = Traits(rawValue: 1 << 0)
        /// Presenters save first.
        package static let saves = Traits(rawValue: 1 << 1)
        /// The item is to be deleted.
        package static let deletes = Traits(rawValue: 1 << 2)
        /// The item is to be moved.
        package static let moves = Traits(rawValue: 1 << 3)
        /// The item gives way to another one. A move carries everything along but this: it is about the place.
        package static let replaces = Traits(rawValue: 1 << 4)
        /// The item's bytes are neither wanted nor changed: presenters go on as they are, and nothing is downloaded.
        package static let isQuiet = Traits(rawValue: 1 << 5)
        /// The item's bytes are given up, as there are others to be had.
        package static let evicts = Traits(rawValue: 1 << 6)

        /// Whether only what is written is to become something else.
        package var areSound: Bool {
            contains(.writes) || isDisjoint(with: [.deletes, .moves, .replaces, .evicts])
        }
    }

    /// The item: absolute, the links of its parents resolved.
    package var path: ExactPath
    /// What is guarded: the outermost package that the item is in, else the item itself.
    package var key: ExactPath
    package let traits: Traits

    package init(path: ExactPath, key: ExactPath, traits: Traits) {
        self.path = path
        self.key = key
        self.traits = traits
    }

    package var writes: Bool { traits.contains(.writes) }
}

/// Paths as the arbiter compares them: absolute, without links, `.` and `..`.
package enum PlainPath {
    /// Whether a path lies beneath another one.
    package static func isBeneath(_ path: ExactPath, _ parent: ExactPath) -> Bool {
        if parent == "/" { return path != "/" }
        let (path, parent) = (path.utf8, parent.utf8)
        return path.count > parent.count && path.starts(with: parent)
            && path[path.index(path.startIndex, offsetBy: parent.count)] == UInt8(ascii: "/")
    }

    package static func isAtOrBeneath(_ path: ExactPath, _ parent: ExactPath) -> Bool {
        path == parent || isBeneath(path, parent)
    }

    /// A path at or beneath `source`, as it is once that has moved.
    package static func moved(_ path: ExactPath, from source: ExactPath, to destination: ExactPath) -> ExactPath {
        ExactPath(destination.string + String(decoding: path.utf8.dropFirst(source.utf8.count), as: UTF8.self))
    }
}
