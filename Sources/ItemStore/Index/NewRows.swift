/// A buffer of new rows for the table `items`. Inserting many rows with one statement takes half the time of inserting
/// each row with its own statement.
///
/// Code that reads the table, or changes rows in it, must call ``write()`` first.
final class NewRows {
    private struct Row {
        var number: ItemNumber
        var parent: ItemNumber
        var changes: LocalChanges
        var bytes: Range<Int>
    }

    /// The number of rows that one statement inserts.
    private static let limit = 100
    private static let columnCount = 4

    private let insertOne: Statement
    private let insertMany: Statement
    private var rows: [Row] = []
    private var bytes = ByteWriter(capacity: 16 << 10)

    init(_ connection: DatabaseConnection) throws(IndexError) {
        func statement(_ count: Int) throws(IndexError) -> Statement {
            let values = repeatElement("(?, ?, ?, ?)", count: count).joined(separator: ", ")
            return try connection.statement("INSERT INTO items (number, parent, changes, data) VALUES " + values)
        }
        insertOne = try statement(1)
        insertMany = try statement(Self.limit)
        rows.reserveCapacity(Self.limit)
    }

    func add(
        _ number: ItemNumber, in parent: ItemNumber, _ changes: LocalChanges, _ data: UnsafeRawBufferPointer
    ) throws(IndexError) {
        let start = bytes.count
        bytes.raw(data)
        rows.append(Row(number: number, parent: parent, changes: changes, bytes: start..<bytes.count))
        if rows.count == Self.limit { try write() }
    }

    /// Writes the buffered rows to the table.
    func write() throws(IndexError) {
        guard !rows.isEmpty else { return }
        // A failure rolls back the whole transaction, so the rows that were not written are dropped, too.
        defer { forget() }
        if rows.count == Self.limit {
            for index in rows.indices { bind(rows[index], to: insertMany, index) }
            return try insertMany.run()
        }
        for row in rows {
            bind(row, to: insertOne, 0)
            try insertOne.run()
        }
    }

    /// Drops the buffered rows, because their transaction was rolled back.
    func forget() {
        rows.removeAll(keepingCapacity: true)
        bytes.clear()
    }

    private func bind(_ row: Row, to statement: Statement, _ index: Int) {
        let first = CInt(index * Self.columnCount)
        statement.bind(first + 1, row.number.rawValue)
        statement.bind(first + 2, row.parent.rawValue)
        statement.bind(first + 3, Int64(row.changes.rawValue))
        statement.bind(first + 4, kept: UnsafeRawBufferPointer(rebasing: bytes.bytes[row.bytes]))
    }
}
