/// Records the directories whose identifier the provider changed. If identifiers are paths, the identifiers of the
/// items in such a directory have changed, too. The engine learns the new identifiers when it lists the directory.
final class ReidentifiedFolders {
    private let add: Statement
    private let remove: Statement
    private let all: Statement

    /// The directories. They are kept in memory, because each page of a listing is checked against them. Usually there
    /// are none.
    private(set) var numbers: Set<ItemNumber> = []

    init(_ connection: DatabaseConnection) throws(IndexError) {
        add = try connection.statement("INSERT OR REPLACE INTO reidentified (number) VALUES (?1)")
        remove = try connection.statement("DELETE FROM reidentified WHERE number = ?1")
        all = try connection.statement("SELECT number FROM reidentified")
    }

    /// Reads the in-memory state from the index when it is opened and after a rollback.
    func readAgain() throws(IndexError) {
        numbers = []
        while try all.step() { numbers.insert(ItemNumber(rawValue: all.integer(0))) }
        all.reset()
    }

    func note(_ folder: ItemNumber) throws(IndexError) {
        guard numbers.insert(folder).inserted else { return }
        add.bind(1, folder.rawValue)
        try add.run()
    }

    /// Deletes the record of the given directory, which was listed or is gone.
    func forget(_ folder: ItemNumber) throws(IndexError) {
        guard numbers.remove(folder) != nil else { return }
        remove.bind(1, folder.rawValue)
        try remove.run()
    }
}

extension Index {
    /// Whether the items of the given directory may have new identifiers.
    package func isReidentified(_ folder: ItemNumber) throws(IndexError) -> Bool {
        try read { queries throws(IndexError) in
            let statement = try queries.connection.statement("SELECT 1 FROM reidentified WHERE number = ?1")
            defer { statement.reset() }
            statement.bind(1, folder.rawValue)
            return try statement.step()
        }
    }

    /// Whether there is a directory whose items may have new identifiers.
    package func hasReidentifiedFolders() throws(IndexError) -> Bool {
        try read { queries throws(IndexError) in
            let statement = try queries.connection.statement("SELECT 1 FROM reidentified LIMIT 1")
            defer { statement.reset() }
            return try statement.step()
        }
    }

    /// Returns the directories whose items may have new identifiers.
    package func reidentifiedFolders() throws(IndexError) -> Set<ItemNumber> {
        try read { queries throws(IndexError) in
            let statement = try queries.connection.statement("SELECT number FROM reidentified")
            defer { statement.reset() }
            var numbers: Set<ItemNumber> = []
            while try statement.step() { numbers.insert(ItemNumber(rawValue: statement.integer(0))) }
            return numbers
        }
    }
}
