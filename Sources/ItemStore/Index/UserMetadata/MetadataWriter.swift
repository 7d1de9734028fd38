import ItemValues

/// Writes the user metadata of items. Items without user metadata have no row.
///
/// A value that was set locally stays until the provider confirms it, even if the provider reports another value
/// meanwhile. Otherwise the provider's value is used. Neither the provider's reports nor local uses decrease the
/// last-used date.
final class MetadataWriter {
    private let find: Statement
    private let put: Statement
    private let remove: Statement
    private let renumber: Statement
    private let countRows: Statement
    /// An upper bound of the number of rows. If it is 0, the table need not be read.
    private var count: Int64 = 0

    init(_ connection: DatabaseConnection) throws(IndexError) {
        find = try connection.statement(MetadataQueries.find)
        put = try connection.statement(
            "INSERT OR REPLACE INTO facts (number, used, rank, data, tags, here) VALUES (?1, ?2, ?3, ?4, ?5, ?6)")
        remove = try connection.statement("DELETE FROM facts WHERE number = ?1")
        renumber = try connection.statement("UPDATE OR REPLACE facts SET number = ?2 WHERE number = ?1")
        countRows = try connection.statement("SELECT count(*) FROM facts")
    }

    /// Recounts the rows when the index is opened and after a rollback.
    func recount() throws(IndexError) { count = try countRows.number() ?? 0 }

    /// Stores the user metadata in the provider's report of an item.
    ///
    /// - Parameter before: The previous report; `nil` if the item is new.
    func note(
        _ number: ItemNumber, _ item: borrowing ProviderItem, before: ProviderItem? = nil
    ) throws(IndexError) {
        let said = ItemMetadata(item)
        let saidBefore = before.map { ItemMetadata($0) } ?? ItemMetadata()
        guard said != saidBefore else { return }
        var (metadata, here) = try row(number)
        let lastUsed = [metadata.lastUsed, said.lastUsed].compactMap { $0 }.max()
        metadata.take(MetadataKinds([.favoriteRank, .tags]).subtracting(here), from: said)
        if !here.contains(.lastUsed) { metadata.lastUsed = lastUsed }
        try write(number, metadata, here)
    }

    /// Sets the values of the given kinds locally.
    func set(_ number: ItemNumber, _ kinds: MetadataKinds, _ values: ItemMetadata) throws(IndexError) {
        var (metadata, here) = try row(number)
        metadata.take(kinds, from: values)
        try write(number, metadata, here.union(kinds))
    }

    /// Returns the kinds of the given item's values that were set locally and that the provider has not confirmed.
    func setLocally(_ number: ItemNumber) throws(IndexError) -> MetadataKinds { try row(number).1 }

    /// Marks locally set values of the given kinds as confirmed. From now on, the provider's reports replace these
    /// values.
    func settle(_ number: ItemNumber, _ kinds: MetadataKinds) throws(IndexError) {
        let (metadata, here) = try row(number)
        guard !here.isDisjoint(with: kinds) else { return }
        try write(number, metadata, here.subtracting(kinds))
    }

    /// Records the date of a local use of the given item, in seconds since 1970. This date is not sent to the
    /// provider.
    func noteUse(_ number: ItemNumber, _ time: Double) throws(IndexError) {
        var (metadata, here) = try row(number)
        guard time > metadata.lastUsed ?? 0 else { return }
        metadata.lastUsed = time
        try write(number, metadata, here)
    }

    func forget(_ number: ItemNumber) throws(IndexError) {
        guard count > 0 else { return }
        remove.bind(1, number.rawValue)
        try remove.run()
    }

    /// Stores the user metadata of the item `number` under the item number `other` instead.
    func move(_ number: ItemNumber, to other: ItemNumber) throws(IndexError) {
        guard count > 0 else { return }
        renumber.bind(1, number.rawValue)
        renumber.bind(2, other.rawValue)
        try renumber.run()
    }

    private func row(_ number: ItemNumber) throws(IndexError) -> (ItemMetadata, MetadataKinds) {
        guard count > 0 else { return (ItemMetadata(), []) }
        return try MetadataQueries.row(find, number) ?? (ItemMetadata(), [])
    }

    private func write(_ number: ItemNumber, _ metadata: ItemMetadata, _ here: MetadataKinds) throws(IndexError) {
        guard !metadata.isEmpty || !here.isEmpty else { return try forget(number) }
        put.bind(1, number.rawValue)
        if let used = metadata.lastUsed { put.bind(2, used) } else { put.bindNull(2) }
        if let rank = metadata.favoriteRank {
            put.bind(3, MetadataQueries.column(ofRank: rank))
        } else {
            put.bindNull(3)
        }
        let tags = metadata.tags
        if tags.isEmpty { put.bindNull(5) } else { put.bind(5, tags.joined(separator: "\n")) }
        put.bind(6, Int64(here.rawValue))
        if let data = metadata.tagData {
            try put.run(4, data)
        } else {
            put.bindNull(4)
            try put.run()
        }
        // A replaced row counts twice. That is harmless: a count above zero only causes a lookup.
        count += 1
    }
}

/// Queries the table of user metadata.
enum MetadataQueries {
    static let find = "SELECT used, rank, data, here FROM facts WHERE number = ?1"

    static func row(_ statement: Statement, _ number: ItemNumber) throws(IndexError) -> (ItemMetadata, MetadataKinds)? {
        statement.bind(1, number.rawValue)
        guard try statement.step() else { return nil }
        defer { statement.reset() }
        let metadata = ItemMetadata(
            lastUsed: statement.isNull(0) ? nil : statement.double(0),
            favoriteRank: statement.isNull(1) ? nil : rank(ofColumn: statement.integer(1)),
            tagData: statement.isNull(2) ? nil : Array(statement.bytes(2)))
        return (metadata, MetadataKinds(rawValue: UInt8(truncatingIfNeeded: statement.integer(3))))
    }

    // SQLite's integers are signed. Inverting the highest bit preserves the order of the ranks.
    static func column(ofRank rank: UInt64) -> Int64 { Int64(bitPattern: rank ^ 1 << 63) }
    static func rank(ofColumn column: Int64) -> UInt64 { UInt64(bitPattern: column) ^ 1 << 63 }
}

extension IndexWriter {
    /// Sets the given kinds of an item's user metadata locally. Does nothing if the item does not exist.
    package mutating func setMetadata(
        _ kinds: MetadataKinds, of number: ItemNumber, _ values: ItemMetadata
    ) throws(IndexError) {
        guard try state.queries.withRow(number, { (_) throws(IndexError) in true }) == true else { return }
        try state.metadata.set(number, kinds, values)
        state.recordChange(.changed(number, contents: false))
    }

    /// Marks the given kinds of an item's user metadata as confirmed by the provider.
    package mutating func reconcileMetadata(_ kinds: MetadataKinds, of number: ItemNumber) throws(IndexError) {
        try state.metadata.settle(number, kinds)
    }

    /// Records the date of a local use of the given item, in seconds since 1970.
    package mutating func noteUse(of number: ItemNumber, at time: Double) throws(IndexError) {
        guard try state.queries.withRow(number, { (_) throws(IndexError) in true }) == true else { return }
        try state.metadata.noteUse(number, time)
    }

    /// Deletes the records of changed search terms up to the record number `mark`, because the search index now has
    /// these terms.
    package mutating func forgetRenamed(upTo mark: Int64) throws(IndexError) {
        let statement = try state.connection.statement("DELETE FROM renamed WHERE mark <= ?1")
        statement.bind(1, mark)
        try statement.run()
    }
}
