/// A cache of the paths of a domain's directories. Each directory is looked up once.
package struct FolderPaths {
    private let index: Index
    /// The paths known so far; `nil` for directories that are not in the tree.
    private var paths: [ItemNumber: String?]

    /// - Parameter root: The path of the root.
    package init(_ index: Index, root: String) {
        self.index = index
        paths = [.root: root]
    }

    /// Returns the path of an item; `nil` if one of the directories above it is gone.
    package mutating func path(of item: IndexedItem) throws(IndexError) -> String? {
        if item.number == .root { return try path(of: item.number) }
        return try path(of: item.parent).map { $0 + "/" + item.name }
    }

    /// Returns the path of a directory; `nil` if the directory, or one above it, does not exist any more.
    package mutating func path(of folder: ItemNumber) throws(IndexError) -> String? {
        // Collects the directories up to one with a known path. This is a loop, not a recursion, because the provider
        // determines the depth.
        var way: [(number: ItemNumber, name: String)] = []
        var path: String?
        var number = folder
        while way.count < IndexedItem.mostAncestors {
            if let known = paths[number] {
                path = known
                break
            }
            guard let item = try index.itemEvenIfDeleted(number) else { break }
            way.append((number, item.name))
            number = item.parent
        }
        for (number, name) in way.reversed() {
            path = path.map { $0 + "/" + name }
            paths[number] = .some(path)
        }
        return path
    }
}
