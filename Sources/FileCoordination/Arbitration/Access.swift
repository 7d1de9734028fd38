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
        guard path.continues(parent) else { return false }
        return path.utf8[path.utf8.index(path.utf8.startIndex, offsetBy: parent.utf8.count)] == UInt8(ascii: "/")
    }

    package static func isAtOrBeneath(_ path: ExactPath, _ parent: ExactPath) -> Bool {
        path == parent || isBeneath(path, parent)
    }

    /// Whether a path comes before another one where what is beneath a path follows it at once.
    package static func precedes(_ left: ExactPath, _ right: ExactPath) -> Bool {
        // No byte of a name is less than that of the slash then.
        func rank(_ byte: UInt8) -> UInt8 { byte == UInt8(ascii: "/") ? 0 : byte }
        return left.utf8.lexicographicallyPrecedes(right.utf8) { rank($0) < rank($1) }
    }

    /// A path at or beneath `source`, as it is once that has moved.
    package static func moved(_ path: ExactPath, from source: ExactPath, to destination: ExactPath) -> ExactPath {
        ExactPath(destination.string + String(decoding: path.utf8.dropFirst(source.utf8.count), as: UTF8.self))
    }
}
