import CSQLite

/// A prepared statement of a connection. Like the connection, only one thread may use it at a time.
///
/// To use it, bind the parameters, call ``step()`` for each row, and then call ``reset()``.
final class Statement {
    private let connection: OpaquePointer
    private let statement: OpaquePointer

    init(_ sql: String, _ connection: OpaquePointer) throws(IndexError) {
        var statement: OpaquePointer?
        // 1 is SQLITE_PREPARE_PERSISTENT, for statements that are retained and reused.
        let code = sqlite3_prepare_v3(connection, sql, -1, 1, &statement, nil)
        guard code == SQLITE_OK, let statement else { throw IndexError(code, connection) }
        self.connection = connection
        self.statement = statement
    }

    deinit { sqlite3_finalize(statement) }

    func bind(_ place: CInt, _ value: Int64) { sqlite3_bind_int64(statement, place, value) }
    func bind(_ place: CInt, _ value: Double) { sqlite3_bind_double(statement, place, value) }
    func bindNull(_ place: CInt) { sqlite3_bind_null(statement, place) }

    /// Binds a text to the parameter with the given index. SQLite copies the text.
    func bind(_ place: CInt, _ text: String) {
        var text = text
        text.withUTF8 { _ = csqlite_bind_text(statement, place, $0.baseAddress, UInt64($0.count)) }
    }

    /// Binds bytes to the parameter with the given index, without copying them. The bytes must stay valid until the
    /// statement is reset.
    func bind(_ place: CInt, kept bytes: UnsafeRawBufferPointer) {
        _ = csqlite_bind_bytes(statement, place, bytes.baseAddress, UInt64(bytes.count))
    }

    /// Binds bytes to the parameter with the given index, and runs the statement to its end.
    func run(_ place: CInt, _ bytes: [UInt8]) throws(IndexError) {
        let result = bytes.withUnsafeBytes { bytes in
            Result { () throws(IndexError) in
                bind(place, kept: bytes)
                try run()
            }
        }
        try result.get()
    }

    /// Moves to the next row. After the last row, resets the statement.
    ///
    /// - Returns: Whether there is a row.
    func step() throws(IndexError) -> Bool {
        let code = sqlite3_step(statement)
        if code == SQLITE_ROW { return true }
        let failure = code == SQLITE_DONE ? nil : IndexError(code, connection)
        sqlite3_reset(statement)
        if let failure { throw failure }
        return false
    }

    func reset() { sqlite3_reset(statement) }

    /// Runs the statement and ignores its rows.
    func run() throws(IndexError) {
        if try step() { reset() }
    }

    /// Runs the statement and returns the first column of the first row; `nil` if there is no row.
    func number() throws(IndexError) -> Int64? {
        guard try step() else { return nil }
        defer { reset() }
        return integer(0)
    }

    func integer(_ column: CInt) -> Int64 { sqlite3_column_int64(statement, column) }
    func double(_ column: CInt) -> Double { sqlite3_column_double(statement, column) }
    func isNull(_ column: CInt) -> Bool { sqlite3_column_type(statement, column) == SQLITE_NULL }

    func text(_ column: CInt) -> String { String(decoding: bytes(column), as: UTF8.self) }

    /// Returns the bytes in the given column of the current row. They are valid until the next step or reset.
    func bytes(_ column: CInt) -> UnsafeRawBufferPointer {
        let start = sqlite3_column_blob(statement, column)
        return UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(statement, column)))
    }
}
