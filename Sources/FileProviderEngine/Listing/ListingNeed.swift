import FileProviderWire
import ItemStore
import ItemValues

/// The portion of a directory's listing that a caller needs.
package enum ListingNeed: Sendable, Hashable {
    /// All items of the directory.
    case complete
    /// The item with a given name, or the result that no such item exists.
    case item(named: String)
    /// Any item after the given one in the order of item numbers, or the result that no further item exists. `nil`
    /// stands for the beginning.
    case more(after: ItemNumber?)
}

extension Index {
    /// Whether the index has the portion of a directory's listing that a caller needs.
    ///
    /// - Throws: a failure of kind `unsupported` if the item is not a directory.
    func has(_ need: ListingNeed, of row: IndexedItem) throws(ProviderError) -> Bool {
        guard row.item.kind == .folder else {
            throw ProviderError(.unsupported, message: "“\(row.name)” is not a folder.")
        }
        if row.listing == .complete || !row.isKnownToProvider { return true }
        return try onRecord { () throws(IndexError) in
            switch need {
            case .complete: return false
            case .item(let name): return try item(named: name, in: row.number) != nil
            case .more(let number):
                var isThere = false
                try children(of: row.number, after: number, limit: 1) { _ in
                    isThere = true
                    return false
                }
                return isThere
            }
        }
    }
}
