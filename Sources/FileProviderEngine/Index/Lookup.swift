/// From the hash of an identifier or a place to the items that may have it. Whoever asks looks at their rows.
final class Lookup: Sendable {
}

/// The lookup as one connection sees it.
final class LookupQueries {
    private let find: Statement

    init(_ connection: DatabaseConnection) throws(IndexFailure) {
        find = try connection.statement("SELECT number FROM lookup WHERE key = ?1")
    }

    func numbers(_ key: UInt64, _ lookup: Lookup) throws(IndexFailure) -> [ItemNumber] {
        find.bind(1, Int64(key & 0xFFFF_FFFF))
        var numbers: [ItemNumber] = []
        while try find.step() { numbers.append(ItemNumber(rawValue: find.integer(0))) }
        return numbers
    }
}

/// Changes of the lookup, on the connection that writes.
final class LookupWriter {
    private let insert: Statement
    private let delete: Statement

    init(_ connection: DatabaseConnection) throws(IndexFailure) {
        insert = try connection.statement("INSERT OR IGNORE INTO lookup (key, number) VALUES (?1, ?2)")
        delete = try connection.statement("DELETE FROM lookup WHERE key = ?1 AND number = ?2")
    }

    func add(_ key: UInt64, _ number: ItemNumber) throws(IndexFailure) {
        insert.bind(1, Int64(key & 0xFFFF_FFFF))
        insert.bind(2, number.rawValue)
        try insert.run()
    }

    func remove(_ key: UInt64, _ number: ItemNumber) throws(IndexFailure) {
        delete.bind(1, Int64(key & 0xFFFF_FFFF))
        delete.bind(2, number.rawValue)
        try delete.run()
    }
}
