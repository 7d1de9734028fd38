import CSQLite

/// A connection to an SQLite file. Not thread-safe.
///
/// Each statement is compiled once and cached. The number of statements is bounded, because their texts are constants.
package final class Database {
    private let handle: OpaquePointer
    private var statements: [String: OpaquePointer] = [:]

    /// An error that SQLite reported.
    package struct Failure: Error, CustomStringConvertible {
        package let code: Int32
        package let description: String

        /// Whether the file is damaged, or not an SQLite file.
        package var isCorrupt: Bool { code == SQLITE_CORRUPT || code == SQLITE_NOTADB }
        package var isFull: Bool { code == SQLITE_FULL }
    }

    /// A parameter of a statement.
    package enum Value: Sendable {
        case integer(Int64)
        case bytes([UInt8])
        case null
    }

    /// Opens a file, and creates it if it does not exist.
    package init(_ path: String) throws(Failure) {
        var opened: OpaquePointer?
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
        let code = sqlite3_open_v2(path, &opened, flags, nil)
        guard code == SQLITE_OK, let opened else {
            let words = opened.flatMap { sqlite3_errmsg($0) }.map { String(cString: $0) } ?? "out of memory"
            sqlite3_close_v2(opened)
            throw Failure(code: code & 0xFF, description: words)
        }
        handle = opened
        // A process that is ending may still have the database locked for a moment.
        sqlite3_busy_timeout(handle, 10_000)
    }

    deinit {
        for statement in statements.values { sqlite3_finalize(statement) }
        sqlite3_close_v2(handle)
    }

    /// Runs statements without parameters and results.
    package func execute(_ text: String) throws(Failure) {
        guard sqlite3_exec(handle, text, nil, nil, nil) == SQLITE_OK else { throw failure() }
    }

    /// Runs one statement, and ignores its result.
    package func run(_ text: String, _ values: Value...) throws(Failure) {
        try each(text, values) { _ in }
    }

    /// Runs one statement with many parameters, and ignores its result.
    ///
    /// - Parameter bind: Binds the parameters in their order.
    package func run(_ text: String, binding bind: (inout Binder) -> Void) throws(Failure) {
        try each(text, binding: bind) { _ in }
    }

    /// Returns the first row of a statement's result.
    package func first<Result>(_ text: String, _ values: Value..., read: (Row) -> Result) throws(Failure) -> Result? {
        var result: Result?
        try each(text, values) { if result == nil { result = read($0) } }
        return result
    }

    /// Returns all rows of a statement's result.
    package func all<Result>(_ text: String, _ values: Value..., read: (Row) -> Result) throws(Failure) -> [Result] {
        var results: [Result] = []
        try each(text, values) { results.append(read($0)) }
        return results
    }

    /// The row identifier of the row that was inserted last.
    package var lastNumber: Int64 { sqlite3_last_insert_rowid(handle) }

    /// Runs a function in a transaction, which is rolled back if the function throws.
    package func transaction<Result>(_ body: () throws -> Result) throws -> Result {
        try execute("BEGIN IMMEDIATE")
        do {
            let result = try body()
            try execute("COMMIT")
            return result
        } catch {
            // The error is ignored, because SQLite may have rolled the transaction back by itself.
            try? execute("ROLLBACK")
            throw error
        }
    }

    private func each(_ text: String, _ values: [Value], _ body: (Row) -> Void) throws(Failure) {
        try each(
            text,
            binding: { binder in
                for value in values {
                    switch value {
                    case .integer(let number): binder.add(number)
                    case .bytes(let bytes): binder.add(bytes)
                    case .null: binder.addNull()
                    }
                }
            }, body)
    }

    private func each(
        _ text: String, binding bind: (inout Binder) -> Void, _ body: (Row) -> Void
    ) throws(Failure) {
        let statement = try statement(text)
        defer {
            sqlite3_reset(statement)
            sqlite3_clear_bindings(statement)
        }
        var binder = Binder(statement: statement)
        bind(&binder)
        guard binder.code == SQLITE_OK else { throw failure() }
        while true {
            switch sqlite3_step(statement) {
            case SQLITE_ROW: body(Row(statement: statement))
            case SQLITE_DONE: return
            default: throw failure()
            }
        }
    }

    /// The parameters of a statement, bound one after the other.
    package struct Binder {
        fileprivate let statement: OpaquePointer
        fileprivate var code = SQLITE_OK
        private var position: Int32 = 0

        fileprivate init(statement: OpaquePointer) { self.statement = statement }

        package mutating func add(_ number: Int64) {
            guard code == SQLITE_OK else { return }
            position += 1
            code = sqlite3_bind_int64(statement, position, number)
        }

        package mutating func add(_ bytes: [UInt8]) {
            guard code == SQLITE_OK else { return }
            position += 1
            code = Database.bind(bytes, statement, position)
        }

        package mutating func addNull() {
            guard code == SQLITE_OK else { return }
            position += 1
            code = sqlite3_bind_null(statement, position)
        }
    }

    private static func bind(_ bytes: [UInt8], _ statement: OpaquePointer, _ position: Int32) -> Int32 {
        // An empty array may have no address. SQLite would bind this as an SQL NULL instead of an empty value.
        guard !bytes.isEmpty else { return sqlite3_bind_zeroblob(statement, position, 0) }
        // SQLITE_TRANSIENT makes SQLite copy the bytes at once. The header defines it by a macro that Swift does not
        // import: the value -1 instead of a function's address, which is never called.
        let copies = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
        return bytes.withUnsafeBytes {
            sqlite3_bind_blob(statement, position, $0.baseAddress, Int32($0.count), copies)
        }
    }

    private func statement(_ text: String) throws(Failure) -> OpaquePointer {
        if let known = statements[text] { return known }
        var made: OpaquePointer?
        guard sqlite3_prepare_v2(handle, text, -1, &made, nil) == SQLITE_OK, let made else { throw failure() }
        statements[text] = made
        return made
    }

    private func failure() -> Failure {
        Failure(code: sqlite3_errcode(handle) & 0xFF, description: String(cString: sqlite3_errmsg(handle)))
    }

    /// A row, valid only while it is being read.
    package struct Row {
        fileprivate let statement: OpaquePointer

        package func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(statement, column) }

        /// Whether the column has no value.
        package func isNull(_ column: Int32) -> Bool { sqlite3_column_type(statement, column) == SQLITE_NULL }

        package func bytes(_ column: Int32) -> [UInt8] {
            guard let start = sqlite3_column_blob(statement, column) else { return [] }
            return Array(UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(statement, column))))
        }
    }
}
