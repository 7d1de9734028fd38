import FileProviderEngine

extension Index {
    /// The names of an item's folders, from the root on, and its own. Nothing for the root.
    func names(onTheWayTo item: IndexedItem) throws(IndexFailure) -> [String] {
        if item.number == .root { return [] }
        var names = [item.name]
        var parent = item.parent
        // No path is longer.
        while parent != .root, names.count < 4096, let folder = try itemEvenIfDeleted(parent) {
            names.insert(folder.name, at: 0)
            parent = folder.parent
        }
        return names
    }
}
