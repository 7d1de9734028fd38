/// Records the items with uncertain status. The record of an item stays until the provider has reported the item or its
/// removal, even across a crash.
final class RevalidationWriter {
    private let put: Statement
    private let remove: Statement

    init(_ connection: DatabaseConnection) throws(IndexError) {
        put = try connection.statement("INSERT OR IGNORE INTO doubts (identifier) VALUES (?1)")
        remove = try connection.statement("DELETE FROM doubts WHERE identifier = ?1")
    }

    func note(_ identifier: String) throws(IndexError) {
        put.bind(1, identifier)
        try put.run()
    }

    func forget(_ identifier: String) throws(IndexError) {
        remove.bind(1, identifier)
        try remove.run()
    }
}

extension IndexWriter {
    /// Records the identifiers of items that must be revalidated.
    package mutating func noteRevalidations(_ identifiers: some Sequence<String>) throws(IndexError) {
        for identifier in identifiers { try state.revalidations.note(identifier) }
    }

    /// Deletes the record of an item that has been revalidated.
    package mutating func forgetRevalidation(_ identifier: String) throws(IndexError) {
        try state.revalidations.forget(identifier)
    }
}

extension Index {
    /// Returns the identifiers of the items that must be revalidated.
    package func revalidations() throws(IndexError) -> [String] {
        try read { queries throws(IndexError) in
            let statement = try queries.connection.statement("SELECT identifier FROM doubts")
            defer { statement.reset() }
            var identifiers: [String] = []
            while try statement.step() { identifiers.append(statement.text(0)) }
            return identifiers
        }
    }
}
