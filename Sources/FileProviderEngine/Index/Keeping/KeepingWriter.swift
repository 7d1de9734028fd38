import FileProvider

/// Writes down which folders stay on this machine, and what of what stays is not here yet.
final class KeepingWriter {
    private let addFolder: Statement
    private let removeFolder: Statement
    private let addWanted: Statement
    private let removeWanted: Statement
    private let allFolders: Statement

    /// Folders whose items stay here with them. In memory, because every item that comes is looked up here; nearly always
    /// there are none, or few.
    private(set) var folders: Set<ItemNumber> = []
    /// Whether something is wanted since ``takeNews()``.
    private var hasNews = false

    init(_ connection: DatabaseConnection) throws(IndexFailure) {
        addFolder = try connection.statement("INSERT OR REPLACE INTO kept_folders (number) VALUES (?1)")
        removeFolder = try connection.statement("DELETE FROM kept_folders WHERE number = ?1")
        addWanted = try connection.statement("INSERT OR REPLACE INTO wanted (number) VALUES (?1)")
        removeWanted = try connection.statement("DELETE FROM wanted WHERE number = ?1")
        allFolders = try connection.statement("SELECT number FROM kept_folders")
    }

    /// Reads anew what is in memory, after something was undone.
    func readAgain() throws(IndexFailure) {
        folders = []
        while try allFolders.step() { folders.insert(ItemNumber(rawValue: allFolders.integer(0))) }
        allFolders.reset()
        hasNews = false
    }

    /// Whether something is wanted that was not before.
    func takeNews() -> Bool {
        defer { hasNews = false }
        return hasNews
    }

    /// Whether the folder that an item is in keeps it.
    func keepsWithFolder(_ item: IndexedItem) -> Bool { item.number != .root && folders.contains(item.parent) }

    /// A row was written.
    func note(_ item: IndexedItem, before: IndexedItem?) throws(IndexFailure) {
        if item.isKeptFolder != (before?.isKeptFolder ?? false) {
            try run(item.isKeptFolder ? addFolder : removeFolder, item.number)
            if item.isKeptFolder { folders.insert(item.number) } else { folders.remove(item.number) }
        }
        if item.isWanted != (before?.isWanted ?? false) {
            try run(item.isWanted ? addWanted : removeWanted, item.number)
            if item.isWanted { hasNews = true }
        }
    }

    /// A row is gone.
    func forget(_ item: IndexedItem) throws(IndexFailure) {
        if item.isKeptFolder {
            try run(removeFolder, item.number)
            folders.remove(item.number)
        }
        if item.isWanted { try run(removeWanted, item.number) }
    }

    private func run(_ statement: Statement, _ number: ItemNumber) throws(IndexFailure) {
        statement.bind(1, number.rawValue)
        try statement.run()
    }
}

extension IndexedItem {
    fileprivate var isKeptFolder: Bool { staysHere && item.kind == .folder }

    /// Whether something of it is to be here and is not.
    package var isWanted: Bool {
        guard staysHere, isShown, isKnownToProvider else { return false }
        switch item.kind {
        case .file: return content == .dataless || content == .partial
        case .folder: return listing != .complete
        case .symbolicLink: return false
        }
    }
}

extension Index {
    /// What is to be here and is not, by number.
    ///
    /// - Parameter limit: so many at most.
    package func wanted(limit: Int) throws(IndexFailure) -> [ItemNumber] {
        try read { queries throws(IndexFailure) in
            let statement = try queries.connection.statement("SELECT number FROM wanted ORDER BY number LIMIT ?1")
            statement.bind(1, Int64(limit))
            var numbers: [ItemNumber] = []
            while try statement.step() { numbers.append(ItemNumber(rawValue: statement.integer(0))) }
            return numbers
        }
    }

    /// How much is to be here and is not.
    package func wantedCount() throws(IndexFailure) -> Int {
        try read { queries throws(IndexFailure) in
            Int(try queries.connection.number("SELECT count(*) FROM wanted"))
        }
    }

    /// The nearest folder above an item of which a person said that it is to stay here, because of which the item does.
    package func folderThatKeeps(_ item: IndexedItem) throws(IndexFailure) -> IndexedItem? {
        var current = item
        while current.isKeptByFolder, let folder = try self.item(current.parent) {
            if folder.isKept { return folder }
            current = folder
        }
        return nil
    }
}
