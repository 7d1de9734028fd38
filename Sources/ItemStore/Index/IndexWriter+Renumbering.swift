import ItemValues

extension IndexWriter {
    /// Assigns a new item number to a file, as if another file had been renamed over it. All records about the file get
    /// the new number.
    ///
    /// - Parameter change: Changes other properties of the row.
    /// - Returns: The new row; `nil` if `number` is not the number of a file.
    package mutating func renumber(
        _ number: ItemNumber, _ change: (inout IndexedItem) -> Void
    ) throws(IndexError) -> IndexedItem? {
        guard let before = try item(number), before.item.kind == .file else { return nil }
        var after = before
        change(&after)
        after.number = state.takeNumber()
        try state.renumber(before, as: after)
        return after
    }
}

extension WriterConnection {
    fileprivate func renumber(_ before: IndexedItem, as after: IndexedItem) throws(IndexError) {
        let awaited = try awaitedParent(of: before.number)
        try metadata.move(before.number, to: after.number)
        // The old row is deleted first, which frees its name for the new one.
        try delete(before)
        try insert(after)
        if let awaited { try noteOrphan(after.number, parent: awaited.identifier, listed: awaited.isListed) }
        guard after.isShown else { return }
        recordChange(.removed(before.number, parent: before.parent, name: before.name))
        recordChange(.added(after.number, parent: after.parent, name: after.name))
    }

    /// Returns the unknown parent for which the given item waits; `nil` if the item is in its proper place.
    private func awaitedParent(
        of number: ItemNumber
    ) throws(IndexError) -> (identifier: String, isListed: Bool)? {
        guard mayHoldOrphans else { return nil }
        let statement = try connection.statement("SELECT parent, listed FROM orphans WHERE number = ?1")
        statement.bind(1, number.rawValue)
        guard try statement.step() else { return nil }
        defer { statement.reset() }
        return (statement.text(0), statement.integer(1) != 0)
    }
}
