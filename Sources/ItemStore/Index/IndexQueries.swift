/// Queries the index on one connection: a reader's or the writer's.
final class IndexQueries {
    let connection: DatabaseConnection
    private let hash: KeyedHash
    private let row: Statement
    private let childRows: Statement
    private let childNumbers: Statement
    private let lookup: LookupQueries
    private let metadata: Statement
    /// A buffer for the result of a lookup. Reused, so that a query needs no allocation.
    private var candidates: [ItemNumber] = []
    /// A closure that returns whether a hash may be in the lookup tables. If it returns `false`, the tables are not
    /// read. Only the writer sets this.
    var mayContain: (UInt64) -> Bool = { _ in true }
    /// A function that is called before rows are read. The writer sets it, so that its buffered rows are written first.
    var willRead: (() throws(IndexError) -> Void)?

    init(_ connection: DatabaseConnection, hash: KeyedHash, lookup: Lookup) throws(IndexError) {
        self.connection = connection
        self.hash = hash
        row = try connection.statement("SELECT parent, changes, data FROM items WHERE number = ?1")
        childRows = try connection.statement(
            "SELECT number, changes, data FROM items WHERE parent = ?1 AND number > ?2 ORDER BY number")
        childNumbers = try connection.statement(
            "SELECT number FROM items WHERE parent = ?1 AND number < ?2 ORDER BY number")
        self.lookup = try LookupQueries(connection, lookup)
        metadata = try connection.statement(MetadataQueries.find)
    }

    /// A row of the table `items`.
    struct Row {
        var number: ItemNumber
        var parent: ItemNumber
        var changes: LocalChanges
        /// The packed item. Valid only until the statement steps to the next row or is reset.
        var bytes: UnsafeRawBufferPointer

        var isShown: Bool { !changes.contains(.deleted) }

        func isShown(as name: String, in folder: ItemNumber) throws(IndexError) -> Bool {
            guard parent == folder, isShown else { return false }
            return name.hasBytes(try PackedItem.key(bytes).name)
        }

        func item() throws(IndexError) -> IndexedItem {
            try PackedItem.read(number: number, parent: parent, changes: changes, bytes)
        }
    }

    /// Calls `body` with the row of the given item, even if the item was removed locally. Returns `nil` if there is no
    /// row.
    func withRow<Result>(
        _ number: ItemNumber, _ body: (Row) throws(IndexError) -> Result
    ) throws(IndexError) -> Result? {
        try willRead?()
        row.bind(1, number.rawValue)
        guard try row.step() else { return nil }
        defer { row.reset() }
        return try body(
            Row(
                number: number, parent: ItemNumber(rawValue: row.integer(0)),
                changes: LocalChanges(rawValue: UInt8(truncatingIfNeeded: row.integer(1))), bytes: row.bytes(2)))
    }

    /// Returns the item with the given number, even if it was removed locally; `nil` if there is none.
    func item(_ number: ItemNumber) throws(IndexError) -> IndexedItem? {
        try withRow(number) { row throws(IndexError) in try row.item() }
    }

    /// Returns the user metadata of the given item, and the kinds of user metadata that were set locally and that the
    /// provider has not confirmed; `nil` if the item has no user metadata.
    func metadata(of number: ItemNumber) throws(IndexError) -> (ItemMetadata, MetadataKinds)? {
        try MetadataQueries.row(metadata, number)
    }

    /// Returns the number of the item with the given identifier, even if it was removed locally; `nil` if there is
    /// none.
    func number(identifier: String) throws(IndexError) -> ItemNumber? {
        try number(identifier: identifier, hash: hash.identifier(identifier))
    }

    /// Returns the number of the item with the given identifier, whose hash is already computed.
    func number(identifier: String, hash: UInt64) throws(IndexError) -> ItemNumber? {
        try candidate(hash) { row throws(IndexError) in
            identifier.hasBytes(try PackedItem.key(row.bytes).identifier)
        }
    }

    /// Returns the number of the visible item with the given name in the given directory; `nil` if there is none.
    ///
    /// - Parameter isLookedFor: Returns whether an item qualifies. An item that does not is skipped.
    func number(
        named name: String, in parent: ItemNumber, where isLookedFor: (ItemNumber) -> Bool = { _ in true }
    ) throws(IndexError) -> ItemNumber? {
        try candidate(hash.name(name, in: parent)) { row throws(IndexError) in
            isLookedFor(row.number) ? try row.isShown(as: name, in: parent) : false
        }
    }

    /// Returns the visible item with the given name in the given directory; `nil` if there is none.
    func item(named name: String, in parent: ItemNumber) throws(IndexError) -> IndexedItem? {
        var item: IndexedItem?
        _ = try candidate(hash.name(name, in: parent)) { row throws(IndexError) in
            guard try row.isShown(as: name, in: parent) else { return false }
            item = try row.item()
            return true
        }
        return item
    }

    private func candidate(
        _ key: UInt64, _ isIt: (Row) throws(IndexError) -> Bool
    ) throws(IndexError) -> ItemNumber? {
        guard mayContain(key) else { return nil }
        defer { lookup.endReading() }
        try lookup.numbers(key, &candidates)
        for index in candidates.indices {
            let number = candidates[index]
            if try withRow(number, isIt) == true { return number }
        }
        return nil
    }

    /// Enumerates the numbers of the items in the given directory in ascending order, including items that were removed
    /// locally. Reads only the database's index of parents, not the rows.
    ///
    /// - Parameter end: The item number before which to stop; `nil` for no such limit.
    func childNumbers(
        of parent: ItemNumber, before end: ItemNumber?, _ body: (ItemNumber) -> Void
    ) throws(IndexError) {
        try willRead?()
        childNumbers.bind(1, parent.rawValue)
        childNumbers.bind(2, end?.rawValue ?? .max)
        defer { childNumbers.reset() }
        while try childNumbers.step() { body(ItemNumber(rawValue: childNumbers.integer(0))) }
    }

    /// Enumerates the rows of the items in the given directory in ascending order of their item numbers, including
    /// items that were removed locally, until `body` returns `false`.
    ///
    /// - Parameter number: The item number after which to begin; `nil` to begin with the first row.
    func children(
        of parent: ItemNumber, after number: ItemNumber? = nil, _ body: (Row) throws(IndexError) -> Bool
    ) throws(IndexError) {
        try willRead?()
        childRows.bind(1, parent.rawValue)
        childRows.bind(2, number?.rawValue ?? 0)
        defer { childRows.reset() }
        while try childRows.step() {
            let row = Row(
                number: ItemNumber(rawValue: childRows.integer(0)), parent: parent,
                changes: LocalChanges(rawValue: UInt8(truncatingIfNeeded: childRows.integer(1))),
                bytes: childRows.bytes(2))
            guard try body(row) else { return }
        }
    }
}
