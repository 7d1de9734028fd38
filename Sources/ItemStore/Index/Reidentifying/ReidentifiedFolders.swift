/// Records the directories whose items may have new identifiers: the provider changed the directory's own identifier,
/// or is importing the directory again. The engine learns the items' identifiers when it lists the directory.
final class ReidentifiedFolders {
    /// A set of directories in a table. It is also in memory, because each page of a listing is checked against it.
    /// Usually it is empty.
    private struct StoredSet {
        private let add: Statement
        private let remove: Statement
        private let all: Statement
        private(set) var numbers: Set<ItemNumber> = []

        init(_ table: String, _ connection: DatabaseConnection) throws(IndexError) {
            add = try connection.statement("INSERT OR REPLACE INTO \(table) (number) VALUES (?1)")
            remove = try connection.statement("DELETE FROM \(table) WHERE number = ?1")
            all = try connection.statement("SELECT number FROM \(table)")
        }

        mutating func readAgain() throws(IndexError) {
            numbers = []
            while try all.step() { numbers.insert(ItemNumber(rawValue: all.integer(0))) }
            all.reset()
        }

        mutating func insert(_ folder: ItemNumber) throws(IndexError) {
            guard numbers.insert(folder).inserted else { return }
            add.bind(1, folder.rawValue)
            try add.run()
        }

        mutating func remove(_ folder: ItemNumber) throws(IndexError) {
            guard numbers.remove(folder) != nil else { return }
            remove.bind(1, folder.rawValue)
            try remove.run()
        }
    }

    private var folders: StoredSet
    private var foldersWithNewIdentifier: StoredSet

    /// The directories whose items may have new identifiers.
    var numbers: Set<ItemNumber> { folders.numbers }
    /// The directories among ``numbers`` whose own identifier the provider changed. If identifiers are paths, other
    /// items may have the former identifiers of their items.
    var withNewIdentifier: Set<ItemNumber> { foldersWithNewIdentifier.numbers }

    init(_ connection: DatabaseConnection) throws(IndexError) {
        folders = try StoredSet("reidentified", connection)
        foldersWithNewIdentifier = try StoredSet("new_identifiers", connection)
    }

    /// Reads the in-memory state from the index when it is opened and after a rollback.
    func readAgain() throws(IndexError) {
        try folders.readAgain()
        try foldersWithNewIdentifier.readAgain()
    }

    func note(_ folder: ItemNumber, hasNewIdentifier: Bool) throws(IndexError) {
        try folders.insert(folder)
        if hasNewIdentifier { try foldersWithNewIdentifier.insert(folder) }
    }

    /// Deletes the record of the given directory, which was listed or is gone.
    func forget(_ folder: ItemNumber) throws(IndexError) {
        try folders.remove(folder)
        try foldersWithNewIdentifier.remove(folder)
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
    package func reidentifiedFolders() throws(IndexError) -> Set<ItemNumber> { try numbers(in: "reidentified") }

    /// Returns the directories that got a new identifier and have not been listed since. If identifiers are paths,
    /// other items may have the former identifiers of their items.
    package func foldersWithNewIdentifier() throws(IndexError) -> Set<ItemNumber> { try numbers(in: "new_identifiers") }

    private func numbers(in table: String) throws(IndexError) -> Set<ItemNumber> {
        try read { queries throws(IndexError) in
            let statement = try queries.connection.statement("SELECT number FROM \(table)")
            defer { statement.reset() }
            var numbers: Set<ItemNumber> = []
            while try statement.step() { numbers.insert(ItemNumber(rawValue: statement.integer(0))) }
            return numbers
        }
    }
}
