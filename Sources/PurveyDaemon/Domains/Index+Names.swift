import FileProviderEngine
import ItemStore

extension Index {
    /// Returns the names of an item's directories, from the root on, and the item's own name. Empty for the root.
    func names(onTheWayTo item: IndexedItem) throws(IndexError) -> [String] {
        if item.number == .root { return [] }
        var names = [item.name]
        var parent = item.parent
        while parent != .root, names.count < IndexedItem.mostAncestors, let folder = try itemEvenIfDeleted(parent) {
            names.insert(folder.name, at: 0)
            parent = folder.parent
        }
        return names
    }
}
