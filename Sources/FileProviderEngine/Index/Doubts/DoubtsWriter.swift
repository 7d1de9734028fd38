import FileProvider

/// Writes down of which items it is not known what became of them: until the provider has said so, also after a crash.
final class DoubtsWriter {
    private let put: Statement
    private let remove: Statement

    init(_ connection: DatabaseConnection) throws(IndexFailure) {
        put = try connection.statement("INSERT OR IGNORE INTO doubts (identifier) VALUES (?1)")
        remove = try connection.statement("DELETE FROM doubts WHERE identifier = ?1")
    }

    func note(_ identifier: String) throws(IndexFailure) {
        put.bind(1, identifier)
        try put.run()
    }

    func forget(_ identifier: String) throws(IndexFailure) {
        remove.bind(1, identifier)
        try remove.run()
    }
}

extension IndexWriter {
    /// The provider is to be asked what became of items.
    package mutating func noteDoubts(_ identifiers: some Sequence<String>) throws(IndexFailure) {
        for identifier in identifiers { try state.doubts.note(identifier) }
    }

    /// What became of an item is written down.
    package mutating func forgetDoubt(_ identifier: String) throws(IndexFailure) { try state.doubts.forget(identifier) }
}

extension Index {
    /// The items of which it is not known what became of them.
    package func doubts() throws(IndexFailure) -> [String] {
        try read { queries throws(IndexFailure) in
            let statement = try queries.connection.statement("SELECT identifier FROM doubts")
            defer { statement.reset() }
            var identifiers: [String] = []
            while try statement.step() { identifiers.append(statement.text(0)) }
            return identifiers
        }
    }
}
