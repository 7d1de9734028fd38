/// Computes paths of items in a domain. Each directory is read from the index only once.
package struct FolderPaths {
    private let index: Index
    /// The paths of the directories that were looked up so far; `nil` for a directory that is not in the tree.
    private var paths: [ItemNumber: String?]

    /// - Parameter root: The path of the root, with which all paths begin.
    package init(_ index: Index, root: String) {
        self.index = index
        paths = [.root: root]
    }

    /// Returns the path of the given item; `nil` if a directory above it no longer exists.
    package mutating func path(of item: IndexedItem) throws(IndexError) -> String? {
        if item.number == .root { return try path(of: item.number) }
        return try path(of: item.parent).map { $0 + "/" + item.name }
    }

    /// Returns the path of the given directory; `nil` if it, or a directory above it, no longer exists.
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
