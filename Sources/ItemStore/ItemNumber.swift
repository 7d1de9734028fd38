/// The number of an item in its domain: its row in the index and its inode in the mount, as long as the item exists.
package struct ItemNumber: RawRepresentable, Hashable, Sendable {
    package let rawValue: Int64

    package init(rawValue: Int64) { self.rawValue = rawValue }

    package static let root = ItemNumber(rawValue: 1)
}
