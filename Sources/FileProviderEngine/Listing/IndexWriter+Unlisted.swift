import FileProvider

/// What a listing has not told of.
extension IndexWriter {
    /// The items that ``removeUnlisted(in:before:)`` would remove.
    ///
    /// - Parameter limit: so many at most.
    func unlisted(in folder: ItemNumber, before mark: Int64, limit: Int) throws(IndexFailure) -> [IndexedItem] {
        guard let identifier = try item(folder)?.item.identifier else { return [] }
        var listed = state.listings[folder].flatMap { $0.mark == mark ? $0.numbers : nil } ?? NumberSet()
        var unlisted: [ItemNumber] = []
        try state.queries.children(of: folder) { row throws(IndexFailure) in
            if !listed.contains(row.number) { unlisted.append(row.number) }
            return unlisted.count < limit
        }
        var items: [IndexedItem] = []
        for number in unlisted {
            guard let item = try item(number), item.isKnownToProvider, item.item.parent == identifier else { continue }
            items.append(item)
        }
        return items
    }
}
