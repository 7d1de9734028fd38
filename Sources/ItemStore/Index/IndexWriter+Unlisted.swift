import ItemValues

/// Items of a directory that its listing did not include.
extension IndexWriter {
    /// Returns the items that ``removeUnlisted(in:before:)`` would remove.
    ///
    /// - Parameter limit: the maximum number of items.
    package func unlisted(in folder: ItemNumber, before mark: Int64, limit: Int) throws(IndexError) -> [IndexedItem] {
        var items: [IndexedItem] = []
        try eachUnlisted(in: folder, before: mark) { item in
            items.append(item)
            return items.count < limit
        }
        return items
    }

    /// Makes ``removeUnlisted(in:before:)`` keep the unlisted items in their places, except for `others`.
    ///
    /// - Returns: the identifiers of the kept items.
    package mutating func keepUnlisted(
        in folder: ItemNumber, before mark: Int64, apartFrom others: Set<String>
    ) throws(IndexError) -> Set<String> {
        var (numbers, identifiers): ([ItemNumber], Set<String>) = ([], [])
        try eachUnlisted(in: folder, before: mark) { item in
            guard !others.contains(item.item.identifier) else { return true }
            numbers.append(item.number)
            identifiers.insert(item.item.identifier)
            return true
        }
        for number in numbers { state.noteListed(number, in: folder) }
        return identifiers
    }

    /// Returns the identifiers of items that its listing did not include and that are in a directory only until their
    /// parent is known.
    ///
    /// - Parameter limit: the maximum number of identifiers.
    package func waitingForParent(in folder: ItemNumber, before mark: Int64, limit: Int) throws(IndexError) -> Set<
        String
    > {
        guard state.mayHoldOrphans else { return [] }
        var identifiers: Set<String> = []
        for number in try unlistedNumbers(in: folder, before: mark) where identifiers.count < limit {
            guard try state.isUnlistedOrphan(number), let item = try item(number) else { continue }
            identifiers.insert(item.item.identifier)
        }
        return identifiers
    }

    /// Calls a function with each item that the listing did not include.
    ///
    /// - Parameter body: called with each item; returns whether to continue.
    private func eachUnlisted(
        in folder: ItemNumber, before mark: Int64, _ body: (IndexedItem) -> Bool
    ) throws(IndexError) {
        guard let identifier = try item(folder)?.item.identifier else { return }
        for number in try unlistedNumbers(in: folder, before: mark) {
            guard let item = try item(number), item.isKnownToProvider, item.item.parent == identifier else { continue }
            if !body(item) { return }
        }
    }

    /// Returns the items of a directory that its listing did not include, even those removed locally. If the listing
    /// had no page, these are all items.
    func unlistedNumbers(in folder: ItemNumber, before mark: Int64) throws(IndexError) -> [ItemNumber] {
        var listing = state.listings[folder].flatMap { $0.mark == mark ? $0 : nil }
        var unlisted: [ItemNumber] = []
        try state.queries.childNumbers(of: folder, before: listing?.firstNew) { number in
            if listing?.hasListed(number) != true { unlisted.append(number) }
        }
        return unlisted
    }
}
