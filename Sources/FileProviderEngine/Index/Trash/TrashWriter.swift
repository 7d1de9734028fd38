import FileProvider

/// Writes down what the provider says lies in its trash: that is in no folder, and has no number.
final class TrashWriter {
    private let put: Statement
    private let remove: Statement
    private let find: Statement
    private let countRows: Statement
    /// So that nobody looks for it where there is nothing.
    private var count: Int64 = 0

    init(_ connection: DatabaseConnection) throws(IndexFailure) {
        put = try connection.statement("INSERT OR REPLACE INTO trash (identifier, data) VALUES (?1, ?2)")
        remove = try connection.statement("DELETE FROM trash WHERE identifier = ?1")
        find = try connection.statement("SELECT 1 FROM trash WHERE identifier = ?1")
        countRows = try connection.statement("SELECT count(*) FROM trash")
    }

    /// `false` where there is nothing for certain.
    var mayHoldSome: Bool { count > 0 }

    /// Whether an item lies in the trash, as far as that is known.
    func holds(_ identifier: String) throws(IndexFailure) -> Bool {
        guard count > 0 else { return false }
        find.bind(1, identifier)
        defer { find.reset() }
        return try find.step()
    }

    /// Counts anew, after something was undone.
    func recount() throws(IndexFailure) { count = try countRows.number() ?? 0 }

    func note(_ item: ProviderItem) throws(IndexFailure) {
        var bytes = ByteWriter()
        PackedItem.write(item, to: &bytes)
        put.bind(1, item.identifier)
        put.bind(2, kept: bytes.bytes)
        try put.run()
        count += 1
    }

    func forget(_ identifier: String) throws(IndexFailure) {
        guard count > 0 else { return }
        remove.bind(1, identifier)
        try remove.run()
    }
}

extension IndexWriter {
    /// An item does not lie in the trash any more.
    package mutating func forgetTrashed(_ identifier: String) throws(IndexFailure) {
        try state.trash.forget(identifier)
    }
}

extension Index {
    /// Whether an item is known to lie in the provider's trash.
    package func isTrashed(_ identifier: String) throws(IndexFailure) -> Bool {
        try read { queries throws(IndexFailure) in
            let statement = try queries.connection.statement("SELECT 1 FROM trash WHERE identifier = ?1")
            statement.bind(1, identifier)
            defer { statement.reset() }
            return try statement.step()
        }
    }

    /// What is known to lie in the provider's trash, by name.
    package func trashed() throws(IndexFailure) -> [ProviderItem] {
        try read { queries throws(IndexFailure) in
            let statement = try queries.connection.statement("SELECT data FROM trash")
            defer { statement.reset() }
            var items: [ProviderItem] = []
            while try statement.step() {
                var reader = ByteReader(statement.bytes(0))
                items.append(try PackedItem.readProvider(&reader))
            }
            return items.sorted { ($0.filename, $0.identifier) < ($1.filename, $1.identifier) }
        }
    }
}
