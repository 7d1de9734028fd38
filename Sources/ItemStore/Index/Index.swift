import Glibc
import ItemValues
import LinuxSystem

/// The database of a domain's items. For each item it has the provider's last report, the item's place in the local
/// tree, and the item's local changes. It is an SQLite file in WAL mode.
///
/// Any thread may read. Each read takes a connection from a pool and sees the state that was committed when the call
/// began. Only the engine's thread writes (``write(freesSpace:_:)``). The index can always be rebuilt from the provider
/// and the ``Journal``, so a damaged index is deleted.
package final class Index: Sendable {
    /// The commit log of the database. Callers use it to wait until commits are on disk.
    package let log: CommitLog
    private let path: String
    private let writePermit = Semaphore(count: 1)
    private let writer: UnsafeTransfer<WriterConnection>
    private let lookup: Lookup
    private let recent = RecentRows()
    let hash: KeyedHash
    let trashCount: ChangeCount
    private let checkpointer: Checkpointer
    // Leaf lock.
    private let readers = Lock<[UnsafeTransfer<IndexQueries>]>([])
    private let observer = Receiver<[IndexChange]>()
    private let setObserver = Receiver<ItemSets>()
    private let wantedObserver = Receiver<Void>()

    /// A value that only one thread uses at a time. For the writing connection, ``writePermit`` guarantees this. For
    /// each reading connection, the pool does.
    private struct UnsafeTransfer<Value>: @unchecked Sendable {
        let value: Value
    }

    /// The maximum number of unused reading connections in the pool. Further ones are closed.
    private static let idleReaders = 8
    private static let writerCache = 16 << 20
    private static let readerCache = 2 << 20
    /// The maximum size in bytes of an index that is checked completely when it is opened.
    private static let checkedSize: Int64 = 16 << 20

    /// Opens an index, or creates it if the file does not exist.
    ///
    /// - Parameter lookupMemory: The maximum number of lookup entries in memory. Further entries are written to the
    ///   file, so a smaller number slows writing.
    /// - Throws: ``IndexError/corrupt(_:)`` if the index is damaged or of another version; see ``delete(path:)``.
    package init(path: String, lookupMemory: Int = 1 << 16) throws(IndexError) {
        self.path = path
        let connection = try DatabaseConnection(path: path, .writing, cache: Self.writerCache)
        try connection.run("PRAGMA page_size = 8192")
        try connection.run("PRAGMA journal_mode = WAL")
        try connection.run("PRAGMA synchronous = NORMAL")
        try connection.run("PRAGMA journal_size_limit = \(16 << 20)")
        let version = try connection.number("PRAGMA user_version")
        if version == 0 {
            guard try connection.number("SELECT count(*) FROM sqlite_schema") == 0 else {
                throw .corrupt("The file has the tables of another program.")
            }
            try connection.transaction { () throws(IndexError) in try IndexSchema.create(in: connection) }
        } else if version != IndexSchema.version {
            throw .corrupt("The index has version \(version), and this program reads \(IndexSchema.version).")
        } else {
            try connection.check(upTo: Self.checkedSize)
            try IndexSchema.complete(connection)
        }
        lookup = Lookup()
        let state = try WriterConnection(
            connection, lookup: lookup, lookupMemory: lookupMemory, recent: recent, reserve: ReserveFile(besides: path))
        hash = state.hash
        trashCount = state.trash.changes
        writer = UnsafeTransfer(value: state)
        log = try CommitLog(ofDatabase: path)
        checkpointer = try Checkpointer(path: path, connection)
        try write { writer throws(IndexError) in try writer.makeRoot(at: WallClock.now) }
    }

    deinit {
        // The connections close after this, and the last one removes the log.
        checkpointer.stop()
    }

    /// Deletes the files of an index that is not open: the database, SQLite's auxiliary files, and the file that
    /// reserves space. The database may be damaged.
    package static func delete(path: String) throws(Errno) {
        for suffix in ["", "-wal", "-shm", "-journal", ".reserve"] {
            guard unlink(path + suffix) < 0, Errno.current != .noSuchFile else { continue }
            throw Errno.current
        }
    }

    /// A function that is called after each transaction that changed the tree, with all changes in the order in which
    /// they were made. Called on the writing thread. `nil` if there is none.
    package var onChange: (@Sendable ([IndexChange]) -> Void)? {
        get { observer.function }
        set { observer.function = newValue }
    }

    /// Sets the function that is called after each transaction that added an item to the result of ``wanted(limit:)``.
    /// Called on the writing thread.
    package func onWanted(_ receiver: @escaping @Sendable () -> Void) { wantedObserver.function = { _ in receiver() } }

    /// Sets the function that is called after each transaction that changed an item set. Its argument contains the
    /// changed sets. Called on the writing thread.
    package func onSetChange(_ receiver: @escaping @Sendable (ItemSets) -> Void) { setObserver.function = receiver }

    // MARK: Writing

    /// Calls `body` in one transaction: all its changes are committed, or none if it throws. Waits while another
    /// transaction is running. A nested call deadlocks.
    ///
    /// - Parameter freesSpace: Whether `body` frees space on a full disk. If the disk is full, `body` is then called a
    ///   second time and may use the reserved space.
    @discardableResult
    package func write<Result>(
        freesSpace: Bool = false, _ body: (inout IndexWriter) throws(IndexError) -> Result
    ) throws(IndexError) -> Result {
        writePermit.wait()
        let result: Result
        let changes: [IndexChange]
        let isMoreWanted: Bool
        let touched: ItemSets
        do {
            writer.value.isObserved = observer.isSet
            result = try writer.value.transaction(freesSpace: freesSpace, body)
            changes = writer.value.takeChanges()
            isMoreWanted = writer.value.pins.takeNews()
            touched = writer.value.takeTouchedSets()
        } catch {
            writePermit.signal()
            throw error
        }
        checkpointer.noteCommit()
        writePermit.signal()
        if !changes.isEmpty { observer.tell(changes) }
        if isMoreWanted { wantedObserver.tell(()) }
        if !touched.isEmpty { setObserver.tell(touched) }
        return result
    }

    /// Sets a closure with which tests simulate a full disk. The closure is called before each commit, and returns
    /// whether there is space. `nil` removes the closure.
    package func limitRoom(_ hasRoom: (@Sendable () -> Bool)?) {
        writePermit.wait()
        defer { writePermit.signal() }
        writer.value.connection.hasRoom = hasRoom
    }

    /// Returns the item number that the next new item will get. Used by callers that choose item numbers themselves;
    /// see ``IndexWriter/insert(_:keepsNumber:)``.
    package func nextNumber() -> ItemNumber {
        writePermit.wait()
        defer { writePermit.signal() }
        return writer.value.nextNumber
    }

    /// Ensures that no new item gets the given item number, or a smaller one, while this process runs. Called after a
    /// failed write, because the journal on disk may then still have an entry with this number. The next start would
    /// apply that entry to a new item with the same number.
    package func skipNumbers(through number: ItemNumber) {
        writePermit.wait()
        defer { writePermit.signal() }
        writer.value.skipNumbers(through: number)
    }

    // MARK: Reading

    /// Returns the item with the given number; `nil` if it was removed locally or never existed.
    package func item(_ number: ItemNumber) throws(IndexError) -> IndexedItem? {
        let item = try itemEvenIfDeleted(number)
        return item?.changes.contains(.deleted) == true ? nil : item
    }

    /// Returns the item with the given number, even if it was removed locally and the provider has not confirmed the
    /// removal; `nil` if there is none.
    package func itemEvenIfDeleted(_ number: ItemNumber) throws(IndexError) -> IndexedItem? {
        let (known, mark) = recent.row(number)
        if let known { return known }
        let item = try read { queries throws(IndexError) in try queries.item(number) }
        if let item { recent.add(item, readSince: mark) }
        return item
    }

    /// Returns the item with the given identifier, even if it was removed locally and the provider has not confirmed
    /// the removal; `nil` if there is none.
    package func item(identifier: String) throws(IndexError) -> IndexedItem? {
        try read { queries throws(IndexError) in
            guard let number = try queries.number(identifier: identifier) else { return nil }
            return try queries.item(number)
        }
    }

    /// Returns the visible item with the given name in the given directory; `nil` if there is none.
    package func item(named name: String, in parent: ItemNumber) throws(IndexError) -> IndexedItem? {
        let mark = recent.mark
        let item = try read { queries throws(IndexError) in try queries.item(named: name, in: parent) }
        if let item { recent.add(item, readSince: mark) }
        return item
    }

    /// Enumerates the visible items of the given directory in ascending order of their item numbers. A caller can
    /// continue after the last item number it got, even if the directory has changed since.
    ///
    /// - Parameters:
    ///   - number: The item number after which to begin; `nil` to begin with the first item.
    ///   - limit: The maximum number of items.
    ///   - body: Called for each item; returns `false` to stop. It may read the index but not write it.
    package func children(
        of parent: ItemNumber, after number: ItemNumber? = nil, limit: Int = .max,
        _ body: (IndexedItem) throws(IndexError) -> Bool
    ) throws(IndexError) {
        guard limit > 0 else { return }
        try read { queries throws(IndexError) in
            var count = 0
            try queries.children(of: parent, after: number) { row throws(IndexError) in
                guard row.isShown else { return true }
                count += 1
                return try body(try row.item()) && count < limit
            }
        }
    }

    /// Enumerates the names, item numbers and kinds of the visible items in the given directory, in ascending order of
    /// the item numbers. This suffices for a listing without attributes.
    ///
    /// - Parameters:
    ///   - number: The item number after which to begin; `nil` to begin with the first item.
    ///   - body: Called for each item; returns `false` to stop. The bytes of the name are valid only during the call.
    package func names(
        in parent: ItemNumber, after number: ItemNumber? = nil,
        _ body: (ItemNumber, ProviderItem.Kind, UnsafeRawBufferPointer) -> Bool
    ) throws(IndexError) {
        try read { queries throws(IndexError) in
            try queries.children(of: parent, after: number) { row throws(IndexError) in
                guard row.isShown else { return true }
                let key = try PackedItem.key(row.bytes)
                return body(row.number, key.kind, key.name)
            }
        }
    }

    /// Returns the number of visible items in the given directory.
    package func childCount(of parent: ItemNumber) throws(IndexError) -> Int {
        try read { queries throws(IndexError) in
            let statement = try queries.connection.statement(
                "SELECT (SELECT count(*) FROM items WHERE parent = ?1)"
                    + " - (SELECT count(*) FROM items WHERE changes <> 0 AND changes & 8 AND parent = ?1)")
            statement.bind(1, parent.rawValue)
            return Int(try statement.number() ?? 0)
        }
    }

    /// Returns the items with local changes, in ascending order of their item numbers.
    package func changedItems() throws(IndexError) -> [IndexedItem] {
        var items: [IndexedItem] = []
        try changedItems { items.append($0) }
        return items
    }

    /// Calls `body` for each item with local changes, in ascending order of the item numbers. `body` must not read the
    /// index.
    package func changedItems(_ body: (IndexedItem) -> Void) throws(IndexError) {
        try read { queries throws(IndexError) in
            let statement = try queries.connection.statement("SELECT number FROM items WHERE changes <> 0 ORDER BY 1")
            defer { statement.reset() }
            while try statement.step() {
                if let item = try queries.item(ItemNumber(rawValue: statement.integer(0))) { body(item) }
            }
        }
    }

    /// Returns the identifiers of those parents of the given items that are neither in the index nor among the given
    /// items.
    package func unknownParents(of items: [ProviderItem]) throws(IndexError) -> [String] {
        try read { queries throws(IndexError) in
            var told = Set(texts: items.lazy.map(\.identifier))
            var unknown: [String] = []
            for item in items where !told.contains(item.parent) {
                told.insert(item.parent)
                if try queries.number(identifier: item.parent) == nil { unknown.append(item.parent) }
            }
            return unknown
        }
    }

    /// Returns the number of items in the index, and further totals.
    package func statistics() throws(IndexError) -> IndexStatistics {
        try read { queries throws(IndexError) in
            let connection = queries.connection
            return IndexStatistics(
                // The root does not count.
                items: Int(try connection.number("SELECT count(*) FROM items")) - 1,
                changed: Int(try connection.number("SELECT count(*) FROM items WHERE changes <> 0")),
                evictableFiles: Int(try connection.number("SELECT count(*) FROM used")),
                evictableBytes: try connection.number("SELECT total(size) FROM used"))
        }
    }

    /// Returns the total size in bytes of the clean contents that may be evicted.
    package func evictableBytes() throws(IndexError) -> Int64 {
        try read { queries throws(IndexError) in
            try queries.connection.number("SELECT total(size) FROM used")
        }
    }

    /// Returns the sync anchor up to which the changes of the given container are known; `nil` if there is none.
    package func anchor(of container: String) throws(IndexError) -> [UInt8]? {
        try value("SELECT anchor FROM anchors WHERE container = ?1", container)
    }

    package func setting(_ key: String) throws(IndexError) -> [UInt8]? {
        try value("SELECT value FROM settings WHERE key = ?1", key)
    }

    private func value(_ sql: String, _ key: String) throws(IndexError) -> [UInt8]? {
        try read { queries throws(IndexError) in
            let statement = try queries.connection.statement(sql)
            statement.bind(1, key)
            guard try statement.step() else { return nil }
            return [UInt8](statement.bytes(0))
        }
    }

    func read<Result>(
        _ body: (IndexQueries) throws(IndexError) -> Result
    ) throws(IndexError) -> Result {
        let queries: IndexQueries
        if let idle = readers.withLock({ $0.popLast() }) {
            queries = idle.value
        } else {
            let connection = try DatabaseConnection(path: path, .reading, cache: Self.readerCache)
            queries = try IndexQueries(connection, hash: hash, lookup: lookup)
        }
        // A connection that failed is not reused.
        let result = try body(queries)
        let returned = UnsafeTransfer(value: queries)
        readers.withLock { if $0.count < Self.idleReaders { $0.append(returned) } }
        return result
    }
}

/// The number of items in an index, and further totals.
package struct IndexStatistics: Sendable, Equatable {
    /// The number of items, without the root.
    package var items: Int
    /// The number of items with local changes that the provider has not confirmed.
    package var changed: Int
    /// The number of files with clean local contents that may be evicted.
    package var evictableFiles: Int
    package var evictableBytes: Int64
}
