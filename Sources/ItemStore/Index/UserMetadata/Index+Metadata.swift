import ItemValues

/// Returns the items of the working set that the index knows: recently used, favourite and tagged items. Sends no
/// request to the provider.
extension Index {
    /// Returns up to `limit` of the most recently used files, the latest first.
    package func recents(limit: Int) throws(IndexError) -> [FoundItem] {
        try found("SELECT number FROM facts WHERE used IS NOT NULL ORDER BY used DESC, number DESC", limit: limit) {
            $0.item.kind == .file
        }
    }

    /// Returns the favourites, the lowest rank first.
    package func favorites() throws(IndexError) -> [FoundItem] {
        try found("SELECT number FROM facts WHERE rank IS NOT NULL ORDER BY rank, number", limit: .max)
    }

    /// Returns the lowest rank that is greater than those of all favourites and not below `least`.
    package func nextFavoriteRank(atLeast least: UInt64) throws(IndexError) -> UInt64 {
        try read { queries throws(IndexError) in
            let statement = try queries.connection.statement("SELECT max(rank) FROM facts WHERE rank IS NOT NULL")
            guard try statement.step() else { return least }
            defer { statement.reset() }
            guard !statement.isNull(0) else { return least }
            let last = MetadataQueries.rank(ofColumn: statement.integer(0))
            return max(least, last == .max ? last : last + 1)
        }
    }

    /// Returns the user metadata of the given item. It is empty for most items.
    package func metadata(of number: ItemNumber) throws(IndexError) -> ItemMetadata {
        try read { queries throws(IndexError) in try queries.metadata(of: number)?.0 ?? ItemMetadata() }
    }

    /// Returns the kinds of the given item's user metadata that were set locally and that the provider has not
    /// confirmed.
    package func locallySetMetadata(of number: ItemNumber) throws(IndexError) -> MetadataKinds {
        try read { queries throws(IndexError) in try queries.metadata(of: number)?.1 ?? [] }
    }

    /// Returns the given item with its path; `nil` if the item, or a directory above it, was removed locally.
    package func found(_ number: ItemNumber) throws(IndexError) -> FoundItem? {
        try read { queries throws(IndexError) in
            var paths = ShownPaths()
            return try found(number, queries, &paths)
        }
    }

    /// Returns the given item with its path and user metadata; `nil` if the item, or a directory above it, was removed
    /// locally.
    func found(
        _ number: ItemNumber, _ queries: IndexQueries, _ paths: inout ShownPaths
    ) throws(IndexError) -> FoundItem? {
        guard let item = try queries.item(number) else { return nil }
        return try found(item, queries, &paths)
    }

    /// Returns the given item, which was already read, with its path and user metadata; `nil` if a directory above it
    /// was removed locally.
    func found(
        _ item: IndexedItem, _ queries: IndexQueries, _ paths: inout ShownPaths
    ) throws(IndexError) -> FoundItem? {
        guard item.isShown, let folder = try paths.names(of: item.parent, queries) else { return nil }
        let metadata = try queries.metadata(of: item.number)?.0
        return FoundItem(item: item, names: folder + [item.name], metadata: metadata ?? ItemMetadata())
    }

    private func found(
        _ sql: String, limit: Int, where isWanted: (IndexedItem) -> Bool = { _ in true }
    ) throws(IndexError) -> [FoundItem] {
        try read { queries throws(IndexError) in
            let statement = try queries.connection.statement(sql)
            defer { statement.reset() }
            var paths = ShownPaths()
            var items: [FoundItem] = []
            while items.count < limit, try statement.step() {
                let number = ItemNumber(rawValue: statement.integer(0))
                if number != .root, let item = try found(number, queries, &paths), isWanted(item.item) {
                    items.append(item)
                }
            }
            return items
        }
    }
}

/// Computes the paths of visible directories. Each directory is read from the index only once.
struct ShownPaths {
    private var known: [ItemNumber: [String]?] = [.root: []]

    /// Returns the names of the directories from the root down to the given directory, including its own; `nil` if one
    /// of them was removed locally.
    mutating func names(of folder: ItemNumber, _ queries: IndexQueries) throws(IndexError) -> [String]? {
        var unknown: [(number: ItemNumber, name: String)] = []
        var number = folder
        var names: [String]?
        // A tree in the index has no cycles; the depth is bounded in case of damage.
        while unknown.count < IndexedItem.mostAncestors {
            if let path = known[number] {
                names = path
                break
            }
            guard let item = try queries.item(number), item.isShown else { break }
            unknown.append((number, item.name))
            number = item.parent
        }
        for (number, name) in unknown.reversed() {
            names?.append(name)
            known[number] = .some(names)
        }
        return names
    }
}
