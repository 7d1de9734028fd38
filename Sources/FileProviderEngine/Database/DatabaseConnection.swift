import CSQLite

/// One connection to a file of SQLite, used by one thread at a time.
final class DatabaseConnection {
    enum Purpose {
        case reading
        case writing
    }

    let raw: OpaquePointer
    /// Asked before each commit whether the disk has room for it: for tests.
    var hasRoom: (@Sendable () -> Bool)?

    /// - Parameter cache: how many bytes of pages are kept in memory.
    init(path: String, _ purpose: Purpose, cache: Int) throws(IndexFailure) {
        _ = Self.library
        var connection: OpaquePointer?
        let flags =
            (purpose == .writing ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE : SQLITE_OPEN_READWRITE)
            | SQLITE_OPEN_NOMUTEX
        let code = sqlite3_open_v2(path, &connection, flags, nil)
        guard code == SQLITE_OK, let connection else {
            let failure = IndexFailure(code, connection)
            sqlite3_close_v2(connection)
            throw failure
        }
        raw = connection
        sqlite3_extended_result_codes(raw, 1)
        // Only a checkpoint or the recovery after a crash is waited for, and those are short.
        sqlite3_busy_timeout(raw, 10_000)
        try run("PRAGMA cache_size = \(-max(cache >> 10, 64))")
        // Damaged pages are found before they do harm.
        try run("PRAGMA cell_size_check = ON")
        try run("PRAGMA trusted_schema = OFF")
        try run("PRAGMA secure_delete = OFF")
        try run("PRAGMA temp_store = MEMORY")
    }

    deinit { sqlite3_close_v2(raw) }

    func statement(_ sql: String) throws(IndexFailure) -> Statement { try Statement(sql, raw) }

    /// Runs one or more statements whose rows nobody wants.
    func run(_ sql: String) throws(IndexFailure) {
        let code = sqlite3_exec(raw, sql, nil, nil, nil)
        guard code == SQLITE_OK else { throw IndexFailure(code, raw) }
    }

    func number(_ sql: String) throws(IndexFailure) -> Int64 {
        try statement(sql).number() ?? 0
    }

    /// Whether a transaction is open: SQLite ends it by itself upon some failures.
    var isInTransaction: Bool { sqlite3_get_autocommit(raw) == 0 }

    /// Runs a function as one transaction, which is undone when it fails.
    func transaction<Result>(
        _ body: () throws(IndexFailure) -> Result
    ) throws(IndexFailure) -> Result {
        try run("BEGIN IMMEDIATE")
        do throws(IndexFailure) {
            let result = try body()
            guard hasRoom?() ?? true else { throw .full }
            try run("COMMIT")
            return result
        } catch {
            rollBack()
            throw error
        }
    }

    /// Runs a function that only reads, and sees all of it as it is at the first reading.
    func reading<Result>(
        _ body: () throws(IndexFailure) -> Result
    ) throws(IndexFailure) -> Result {
        try run("BEGIN")
        // Nothing was written, so nothing is undone.
        defer { rollBack() }
        return try body()
    }

    func rollBack() {
        // Nothing to do about a failure: the transaction is then undone when the file is opened next.
        if isInTransaction { sqlite3_exec(raw, "ROLLBACK", nil, nil, nil) }
    }

    /// Once in a process, and before its first connection. Where something else uses SQLite already, it stays as it is.
    private static let library: CInt = csqlite_do_not_count_memory()
}

extension DatabaseConnection {
    /// Throws ``IndexFailure/corrupt(_:)`` when the file is shorter than it says, or when a small one is damaged anywhere.
    ///
    /// A large file is not read as a whole: damage within is found when it is come across.
    func check(upTo limit: Int64) throws(IndexFailure) {
        let size = try number("PRAGMA page_count") * (try number("PRAGMA page_size"))
        guard size <= limit else { return }
        let check = try statement("PRAGMA quick_check(1)")
        guard try check.step() else { return }
        defer { check.reset() }
        let words = check.text(0)
        if words != "ok" { throw .corrupt(words) }
    }
}
