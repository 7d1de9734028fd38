import ItemValues

/// Records the pinned directories, and the pinned items that are not materialized.
final class PinWriter {
    private let addFolder: Statement
    private let removeFolder: Statement
    private let addWanted: Statement
    private let removeWanted: Statement
    private let allFolders: Statement

    /// The pinned directories. They are kept in memory, because each new item is checked against them. Usually there
    /// are few.
    private(set) var folders: Set<ItemNumber> = []
    /// Whether a pinned item that must be materialized was recorded since the last call of ``takeNews()``.
    private var hasNews = false

    init(_ connection: DatabaseConnection) throws(IndexError) {
        addFolder = try connection.statement("INSERT OR REPLACE INTO kept_folders (number) VALUES (?1)")
        removeFolder = try connection.statement("DELETE FROM kept_folders WHERE number = ?1")
        addWanted = try connection.statement("INSERT OR REPLACE INTO wanted (number) VALUES (?1)")
        removeWanted = try connection.statement("DELETE FROM wanted WHERE number = ?1")
        allFolders = try connection.statement("SELECT number FROM kept_folders")
    }

    /// Reads the in-memory state from the index when it is opened and after a rollback.
    func readAgain() throws(IndexError) {
        folders = []
        while try allFolders.step() { folders.insert(ItemNumber(rawValue: allFolders.integer(0))) }
        allFolders.reset()
        hasNews = false
    }

    /// Returns whether a pinned item that must be materialized was recorded since the last call.
    func takeNews() -> Bool {
        defer { hasNews = false }
        return hasNews
    }

    /// Whether the directory that contains the given item is pinned.
    func inheritsPin(_ item: IndexedItem) -> Bool { item.number != .root && folders.contains(item.parent) }

    /// Updates the records after a row was written.
    func note(_ item: IndexedItem, before: IndexedItem?) throws(IndexError) {
        if item.isPinnedFolder != (before?.isPinnedFolder ?? false) {
            try run(item.isPinnedFolder ? addFolder : removeFolder, item.number)
            if item.isPinnedFolder { folders.insert(item.number) } else { folders.remove(item.number) }
        }
        if item.isWanted != (before?.isWanted ?? false) {
            try run(item.isWanted ? addWanted : removeWanted, item.number)
            if item.isWanted { hasNews = true }
        }
    }

    /// Updates the records after the row of the given item was deleted.
    func forget(_ item: IndexedItem) throws(IndexError) {
        if item.isPinnedFolder {
            try run(removeFolder, item.number)
            folders.remove(item.number)
        }
        if item.isWanted { try run(removeWanted, item.number) }
    }

    private func run(_ statement: Statement, _ number: ItemNumber) throws(IndexError) {
        statement.bind(1, number.rawValue)
        try statement.run()
    }
}

extension IndexedItem {
    fileprivate var isPinnedFolder: Bool { staysLocal && item.kind == .folder }

    /// Whether the item is pinned and must be materialized: not all of its contents, or not all of its listing, are
    /// local.
    package var isWanted: Bool {
        guard staysLocal, isShown, isKnownToProvider else { return false }
        switch item.kind {
        case .file: return content == .dataless || content == .partial
        case .folder: return listing != .complete
        case .symbolicLink: return false
        }
    }
}

extension Index {
    /// Returns the pinned items that are not materialized, in ascending order of their item numbers.
    ///
    /// - Parameter limit: The maximum number of items.
    package func wanted(limit: Int) throws(IndexError) -> [ItemNumber] {
        try read { queries throws(IndexError) in
            let statement = try queries.connection.statement("SELECT number FROM wanted ORDER BY number LIMIT ?1")
            statement.bind(1, Int64(limit))
            var numbers: [ItemNumber] = []
            while try statement.step() { numbers.append(ItemNumber(rawValue: statement.integer(0))) }
            return numbers
        }
    }

    /// Returns the number of pinned items that are not materialized.
    package func wantedCount() throws(IndexError) -> Int {
        try read { queries throws(IndexError) in
            Int(try queries.connection.number("SELECT count(*) FROM wanted"))
        }
    }

    /// Returns the nearest directory above the given item that the user pinned; `nil` if there is none.
    package func pinningFolder(_ item: IndexedItem) throws(IndexError) -> IndexedItem? {
        var current = item
        while current.isPinnedByFolder, let folder = try self.item(current.parent) {
            if folder.isPinned { return folder }
            current = folder
        }
        return nil
    }
}
