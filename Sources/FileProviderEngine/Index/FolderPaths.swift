/// Where the folders of a domain are, each looked up once.
package struct FolderPaths {
    private let index: Index
    /// `nil` of what is not in the tree.
    private var paths: [ItemNumber: String?]
    /// No path has more names.
    private static let mostNames = 2048

    /// - Parameter root: the path of the root.
    package init(_ index: Index, root: String) {
        self.index = index
        paths = [.root: root]
    }

    /// The path of an item; `nil` where one of its folders is gone.
    package mutating func path(of item: IndexedItem) throws(IndexFailure) -> String? {
        if item.number == .root { return try path(of: item.number) }
        return try path(of: item.parent).map { $0 + "/" + item.name }
    }

    /// The path of a folder; `nil` where it, or one above it, is gone.
    package mutating func path(of folder: ItemNumber) throws(IndexFailure) -> String? {
        // Those on the way to one that is known. A loop, because somebody else says how many they are.
        var way: [(number: ItemNumber, name: String)] = []
        var path: String?
        var number = folder
        while way.count < Self.mostNames {
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
