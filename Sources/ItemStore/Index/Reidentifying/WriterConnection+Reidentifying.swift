import ItemValues

extension WriterConnection {
    /// Stores the new identifier of a directory as the parent of its items. Also records that the items' own
    /// identifiers may have changed, until the directory is listed.
    func passOnIdentifier(of folder: IndexedItem, from before: IndexedItem) throws(IndexError) {
        guard before.isKnownToProvider, folder.isKnownToProvider, folder.item.kind == .folder else { return }
        let (old, new) = (before.item.identifier, folder.item.identifier)
        var numbers: [ItemNumber] = []
        var holdsKnown = false
        try queries.children(of: folder.number) { row throws(IndexError) in
            let item = try row.item()
            guard item.item.parent.hasSameBytes(as: old) else { return true }
            numbers.append(row.number)
            if item.isKnownToProvider { holdsKnown = true }
            return true
        }
        // Items that were moved away locally are still in the directory at the provider.
        for number in try changedNumbers()
        where try queries.item(number)?.item.parent.hasSameBytes(as: old) == true {
            numbers.append(number)
            holdsKnown = true
        }
        for number in numbers {
            guard let child = try queries.item(number), child.item.parent.hasSameBytes(as: old) else { continue }
            var moved = child
            moved.item.parent = new
            try replace(child, with: moved)
        }
        for table in ["anchors", "outdated"] {
            let statement = try connection.statement("DELETE FROM \(table) WHERE container = ?1")
            statement.bind(1, old)
            try statement.run()
        }
        guard holdsKnown || folder.listing != .never else { return }
        try reidentified.note(folder.number, hasNewIdentifier: true)
        let statement = try connection.statement("INSERT OR IGNORE INTO outdated VALUES (?1)")
        statement.bind(1, new)
        try statement.run()
    }

    /// Returns the numbers of the items with local changes.
    func changedNumbers() throws(IndexError) -> [ItemNumber] {
        try queries.willRead?()
        let statement = try connection.statement("SELECT number FROM items WHERE changes <> 0 ORDER BY 1")
        defer { statement.reset() }
        var numbers: [ItemNumber] = []
        while try statement.step() { numbers.append(ItemNumber(rawValue: statement.integer(0))) }
        return numbers
    }

    /// Merges `child`, an item in a duplicate of the directory `folder`, into the item of the same name in `folder`.
    /// That item stays, and gets the identifier of `child`.
    ///
    /// - Returns: Whether the items were merged. `false` if `child` has local changes, or if `folder` has no item of
    ///   the same name and kind both locally and at the provider.
    func takeIdentifier(of child: IndexedItem, in folder: IndexedItem) throws(IndexError) -> Bool {
        guard folder.isKnownToProvider, child.isKnownToProvider, child.changes.isEmpty,
            let own = try queries.item(named: MountName.mended(child.item.filename), in: folder.number),
            own.number != child.number, own.isKnownToProvider,
            own.item.parent.hasSameBytes(as: folder.item.identifier),
            own.item.kind == child.item.kind, own.item.filename.hasSameBytes(as: child.item.filename)
        else { return false }
        var after = own
        after.item.identifier = child.item.identifier
        try change(own, to: after)
        return true
    }
}
