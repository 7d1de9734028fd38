import FileProvider

/// The writer of items' user metadata. Items without any have no row and cost nothing.
///
/// A value that was set locally stays until the provider confirms it, whatever the provider reports meanwhile.
/// Otherwise the provider's value counts. The date of the last use only grows.
final class FactsWriter {
    private let find: Statement
    private let put: Statement
    private let remove: Statement
    private let renumber: Statement
    private let countRows: Statement
    /// The number of rows, or a greater one. Zero skips the lookup.
    private var count: Int64 = 0

    init(_ connection: DatabaseConnection) throws(IndexFailure) {
        find = try connection.statement(FactsQueries.find)
        put = try connection.statement(
            "INSERT OR REPLACE INTO facts (number, used, rank, data, tags, here) VALUES (?1, ?2, ?3, ?4, ?5, ?6)")
        remove = try connection.statement("DELETE FROM facts WHERE number = ?1")
        renumber = try connection.statement("UPDATE OR REPLACE facts SET number = ?2 WHERE number = ?1")
        countRows = try connection.statement("SELECT count(*) FROM facts")
    }

    /// Recounts the rows after a rollback.
    func recount() throws(IndexFailure) { count = try countRows.number() ?? 0 }

    /// Applies the provider's report of an item.
    func note(
        _ number: ItemNumber, _ item: borrowing ProviderItem, before: ProviderItem? = nil
    ) throws(IndexFailure) {
        let said = ItemFacts(item)
        let saidBefore = before.map { ItemFacts($0) } ?? ItemFacts()
        guard said != saidBefore else { return }
        var (facts, here) = try row(number)
        let lastUsed = [facts.lastUsed, said.lastUsed].compactMap { $0 }.max()
        facts.take(FactKinds([.favoriteRank, .tags]).subtracting(here), from: said)
        if !here.contains(.lastUsed) { facts.lastUsed = lastUsed }
        try write(number, facts, here)
    }

    /// Sets values locally.
    func set(_ number: ItemNumber, _ kinds: FactKinds, _ values: ItemFacts) throws(IndexFailure) {
        var (facts, here) = try row(number)
        facts.take(kinds, from: values)
        try write(number, facts, here.union(kinds))
    }

    /// Returns the kinds of values that were set locally and are not confirmed.
    func setHere(_ number: ItemNumber) throws(IndexFailure) -> FactKinds { try row(number).1 }

    /// Confirms values that were set locally: from now on the provider's count.
    func settle(_ number: ItemNumber, _ kinds: FactKinds) throws(IndexFailure) {
        let (facts, here) = try row(number)
        guard !here.isDisjoint(with: kinds) else { return }
        try write(number, facts, here.subtracting(kinds))
    }

    /// Records a local use of an item, which is not sent to the provider.
    func noteUse(_ number: ItemNumber, _ time: Double) throws(IndexFailure) {
        var (facts, here) = try row(number)
        guard time > facts.lastUsed ?? 0 else { return }
        facts.lastUsed = time
        try write(number, facts, here)
    }

    func forget(_ number: ItemNumber) throws(IndexFailure) {
        guard count > 0 else { return }
        remove.bind(1, number.rawValue)
        try remove.run()
    }

    /// Moves the user metadata of an item to another number.
    func move(_ number: ItemNumber, to other: ItemNumber) throws(IndexFailure) {
        guard count > 0 else { return }
        renumber.bind(1, number.rawValue)
        renumber.bind(2, other.rawValue)
        try renumber.run()
    }

    private func row(_ number: ItemNumber) throws(IndexFailure) -> (ItemFacts, FactKinds) {
        guard count > 0 else { return (ItemFacts(), []) }
        return try FactsQueries.row(find, number) ?? (ItemFacts(), [])
    }

    private func write(_ number: ItemNumber, _ facts: ItemFacts, _ here: FactKinds) throws(IndexFailure) {
        guard !facts.isEmpty || !here.isEmpty else { return try forget(number) }
        put.bind(1, number.rawValue)
        if let used = facts.lastUsed { put.bind(2, used) } else { put.bindNull(2) }
        if let rank = facts.favoriteRank { put.bind(3, FactsQueries.column(ofRank: rank)) } else { put.bindNull(3) }
        let tags = facts.tags
        if tags.isEmpty { put.bindNull(5) } else { put.bind(5, tags.joined(separator: "\n")) }
        put.bind(6, Int64(here.rawValue))
        if let data = facts.tagData {
            try put.run(4, data)
        } else {
            put.bindNull(4)
            try put.run()
        }
        // A replaced row counts twice. That is harmless: a count above zero only causes a lookup.
        count += 1
    }
}

/// The queries of user metadata.
enum FactsQueries {
    static let find = "SELECT used, rank, data, here FROM facts WHERE number = ?1"

    static func row(_ statement: Statement, _ number: ItemNumber) throws(IndexFailure) -> (ItemFacts, FactKinds)? {
        statement.bind(1, number.rawValue)
        guard try statement.step() else { return nil }
        defer { statement.reset() }
        let facts = ItemFacts(
            lastUsed: statement.isNull(0) ? nil : statement.double(0),
            favoriteRank: statement.isNull(1) ? nil : rank(ofColumn: statement.integer(1)),
            tagData: statement.isNull(2) ? nil : Array(statement.bytes(2)))
        return (facts, FactKinds(rawValue: UInt8(truncatingIfNeeded: statement.integer(3))))
    }

    // SQLite's integers have a sign; this keeps their order.
    static func column(ofRank rank: UInt64) -> Int64 { Int64(bitPattern: rank ^ 1 << 63) }
    static func rank(ofColumn column: Int64) -> UInt64 { UInt64(bitPattern: column) ^ 1 << 63 }
}
