import FileProvider

/// Folders that the provider gave another identifier. Where identifiers are paths, what is in such a folder has other ones too, which are
/// known when the folder is listed.
final class ReidentifiedFolders {
    private let add: Statement
    private let remove: Statement
    private let all: Statement

    /// In memory, because each page of a listing is looked up here; nearly always there are none.
    private(set) var numbers: Set<ItemNumber> = []

    init(_ connection: DatabaseConnection) throws(IndexFailure) {
        add = try connection.statement("INSERT OR REPLACE INTO reidentified (number) VALUES (?1)")
        remove = try connection.statement("DELETE FROM reidentified WHERE number = ?1")
        all = try connection.statement("SELECT number FROM reidentified")
    }

    /// Reads anew what is in memory, after something was undone.
    func readAgain() throws(IndexFailure) {
        numbers = []
        while try all.step() { numbers.insert(ItemNumber(rawValue: all.integer(0))) }
        all.reset()
    }

    func note(_ folder: ItemNumber) throws(IndexFailure) {
        guard numbers.insert(folder).inserted else { return }
        add.bind(1, folder.rawValue)
        try add.run()
    }

    /// The folder was listed, or is gone.
    func forget(_ folder: ItemNumber) throws(IndexFailure) {
        guard numbers.remove(folder) != nil else { return }
        remove.bind(1, folder.rawValue)
        try remove.run()
    }
}

extension Index {
    /// The folders in which items may have other identifiers than those that are known.
    func reidentifiedFolders() throws(IndexFailure) -> Set<ItemNumber> {
        try read { queries throws(IndexFailure) in
            let statement = try queries.connection.statement("SELECT number FROM reidentified")
            defer { statement.reset() }
            var numbers: Set<ItemNumber> = []
            while try statement.step() { numbers.insert(ItemNumber(rawValue: statement.integer(0))) }
            return numbers
        }
    }
}
