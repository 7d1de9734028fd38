import CSQLite
import Glibc
import LinuxSystem

/// A connection to an SQLite database. Only one thread may use it at a time.
final class DatabaseConnection {
    enum Purpose {
        case reading
        case writing
    }

    let raw: OpaquePointer
    /// A closure for tests. Before each commit, it decides whether the disk has space for the commit.
    var hasRoom: (@Sendable () -> Bool)?

    /// Opens a connection.
    ///
    /// - Parameter cache: The size of the page cache in bytes.
    init(path: String, _ purpose: Purpose, cache: Int) throws(IndexError) {
        _ = Self.library
        var connection: OpaquePointer?
        let flags =
            (purpose == .writing ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE : SQLITE_OPEN_READWRITE)
            | SQLITE_OPEN_NOMUTEX
        let code = sqlite3_open_v2(path, &connection, flags, nil)
        guard code == SQLITE_OK, let connection else {
            let failure = IndexError(code, connection)
            sqlite3_close_v2(connection)
            throw failure
        }
        raw = connection
        sqlite3_extended_result_codes(raw, 1)
        // A statement waits for a lock only during a checkpoint, or during the recovery after a crash. Both are short.
        sqlite3_busy_timeout(raw, 10_000)
        try run("PRAGMA cache_size = \(-max(cache >> 10, 64))")
        // This detects damaged pages before they do harm.
        try run("PRAGMA cell_size_check = ON")
        try run("PRAGMA trusted_schema = OFF")
        try run("PRAGMA secure_delete = OFF")
        try run("PRAGMA temp_store = MEMORY")
    }

    deinit { sqlite3_close_v2(raw) }

    func statement(_ sql: String) throws(IndexError) -> Statement { try Statement(sql, raw) }

    /// Runs one or more statements and ignores their rows.
    func run(_ sql: String) throws(IndexError) {
        let code = sqlite3_exec(raw, sql, nil, nil, nil)
        guard code == SQLITE_OK else { throw IndexError(code, raw) }
    }

    func number(_ sql: String) throws(IndexError) -> Int64 {
        try statement(sql).number() ?? 0
    }

    /// Whether a transaction is open. After some failures, SQLite ends the transaction by itself.
    var isInTransaction: Bool { sqlite3_get_autocommit(raw) == 0 }

    /// Calls `body` in a transaction, which is rolled back if `body` throws.
    func transaction<Result>(
        _ body: () throws(IndexError) -> Result
    ) throws(IndexError) -> Result {
        try run("BEGIN IMMEDIATE")
        do throws(IndexError) {
            let result = try body()
            guard hasRoom?() ?? true else { throw .full }
            try run("COMMIT")
            return result
        } catch {
            rollBack()
            throw error
        }
    }

    /// Calls `body`, which only reads, in a transaction. All its reads see the state of the database at the first read.
    func reading<Result>(
        _ body: () throws(IndexError) -> Result
    ) throws(IndexError) -> Result {
        try run("BEGIN")
        // Nothing was written, so nothing is undone.
        defer { rollBack() }
        return try body()
    }

    func rollBack() {
        // If the rollback fails, the transaction is undone when the file is opened next.
        if isInTransaction { sqlite3_exec(raw, "ROLLBACK", nil, nil, nil) }
    }

    /// Disables SQLite's memory statistics, once per process and before the first connection. This has no effect if the
    /// process has already used SQLite.
    private static let library: CInt = csqlite_do_not_count_memory()
}

extension DatabaseConnection {
    /// Checks the database file for damage. A file of at most `limit` bytes is checked completely. For a larger file,
    /// SQLite only compares its length with the length in its header, when it reads the number of pages. Other damage
    /// of a larger file is found when the damaged part is read.
    ///
    /// - Throws: ``IndexError/corrupt(_:)`` if the file is damaged.
    func check(upTo limit: Int64) throws(IndexError) {
        let size = try number("PRAGMA page_count") * (try number("PRAGMA page_size"))
        guard size <= limit else { return }
        let check = try statement("PRAGMA quick_check(1)")
        guard try check.step() else { return }
        defer { check.reset() }
        let words = check.text(0)
        if words != "ok" { throw .corrupt(words) }
    }
}

/// A file that reserves disk space. When the disk is full, deleting this file makes room to record changes that free
/// more space.
struct ReserveFile {
    private let path: String
    private static let size: off_t = 1 << 20

    init(besides path: String) { self.path = path + ".reserve" }

    /// Creates the file unless it exists. If the disk has no space for it, the next call tries again.
    func fill() {
        if let status = try? FileStatus.of(path), status.size >= Self.size { return }
        guard let file = try? FileDescriptor.open(path, [.readWrite, .create]) else { return }
        if posix_fallocate(file.rawValue, 0, Self.size) != 0 { unlink(path) }
    }

    /// Deletes the file.
    ///
    /// - Returns: Whether the file existed.
    func spend() -> Bool { unlink(path) == 0 }
}
