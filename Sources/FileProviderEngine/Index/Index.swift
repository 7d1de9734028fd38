import FileProvider
import Glibc
import LinuxSystem

/// All that is known of a domain's items: what the provider said, where they are in the tree here, and what was done to them
/// here. A file of SQLite in WAL mode.
///
/// Any thread reads, each call on a connection of its own from a pool, and sees what was committed when the call began. The
/// engine's thread writes (``write(freesSpace:_:)``). It can always be built again from the provider and the ``Journal``, so a
/// damaged one is deleted.
package final class Index: Sendable {
    /// What is not on the disk yet, of what has to be; for whoever knows what that is.
    let log: CommitLog
    private let path: String
    private let gate = Gate()
    private let writer: UnsafeTransfer<WriterConnection>
    private let lookup: Lookup
    let hash: KeyedHash
    private let checkpointer: Checkpointer
    // Innermost: nothing is called while it is held.
    private let readers = Lock<[UnsafeTransfer<IndexQueries>]>([])
    private let observer = Receiver<[IndexChange]>()
    private let setObserver = Receiver<ItemSets>()
    private let wantedObserver = Receiver<Void>()

    /// What only one thread uses at a time, which its owner sees to: the gate for the writer, the pool for a reader.
    private struct UnsafeTransfer<Value>: @unchecked Sendable {
        let value: Value
    }

    /// Idle readers beyond these are closed.
    private static let idleReaders = 8
    private static let writerCache = 16 << 20
    private static let readerCache = 2 << 20
    /// Smaller files are read as a whole when they are opened.
    private static let checkedSize: Int64 = 16 << 20

    /// Opens an index, or makes it.
    ///
    /// - Parameter lookupMemory: so many entries of the lookup may be in memory only; fewer make it slower to write.
    /// - Throws: ``IndexFailure/corrupt(_:)`` when it is damaged or of another version; see ``delete(path:)``.
    package init(path: String, lookupMemory: Int = 1 << 16) throws(IndexFailure) {
        self.path = path
        let connection = try DatabaseConnection(path: path, .writing, cache: Self.writerCache)
        try connection.run("PRAGMA page_size = 8192")
        try connection.run("PRAGMA journal_mode = WAL")
        try connection.run("PRAGMA synchronous = NORMAL")
        try connection.run("PRAGMA journal_size_limit = \(16 << 20)")
        let version = try connection.number("PRAGMA user_version")
        if version == 0 {
            guard try connection.number("SELECT count(*) FROM sqlite_schema") == 0 else {
                throw .corrupt("The file holds tables of something else.")
            }
            try connection.transaction { () throws(IndexFailure) in try IndexSchema.create(in: connection) }
        } else if version != IndexSchema.version {
            throw .corrupt("The index has version \(version), and this program reads \(IndexSchema.version).")
        } else {
            try connection.check(upTo: Self.checkedSize)
            try IndexSchema.complete(connection)
        }
        lookup = Lookup()
        let state = try WriterConnection(
            connection, lookup: lookup, lookupMemory: lookupMemory, reserve: ReserveFile(besides: path))
        hash = state.hash
        writer = UnsafeTransfer(value: state)
        log = try CommitLog(ofDatabase: path)
        checkpointer = try Checkpointer(path: path, connection)
        try write { writer throws(IndexFailure) in try writer.makeRoot(at: SystemEngineClock().now) }
    }

    deinit {
        // Then the connections close, and the last one leaves no log behind.
        checkpointer.stop()
    }

    /// Removes an index, whatever state it is in, with the files beside it.
    package static func delete(path: String) throws(Errno) {
        for suffix in ["", "-wal", "-shm", "-journal", ".reserve"] {
            guard unlink(path + suffix) < 0, Errno.current != .noSuchFile else { continue }
            throw Errno.current
        }
    }

    /// Called after each transaction that changed the tree, on the thread that wrote, with everything in its order.
    package var onChange: (@Sendable ([IndexChange]) -> Void)? {
        get { observer.function }
        set { observer.function = newValue }
    }

    /// Called after each transaction since which something is to be on this machine that is not, on the thread that wrote.
    package func onWanted(_ receiver: @escaping @Sendable () -> Void) { wantedObserver.function = { _ in receiver() } }

    /// Called after each transaction that changed something in sets that programs follow, on the thread that wrote.
    package func onSetChange(_ receiver: @escaping @Sendable (ItemSets) -> Void) { setObserver.function = receiver }

    // MARK: Writing

    /// Runs a function as one transaction: all that it does is there afterwards, or nothing when it throws. Writers take turns;
    /// one within another would wait for ever.
    ///
    /// - Parameter freesSpace: whether it serves to make room on a full disk. The function is then run a second time with the
    ///   space that is held back for that.
    @discardableResult
    package func write<Result>(
        freesSpace: Bool = false, _ body: (inout IndexWriter) throws(IndexFailure) -> Result
    ) throws(IndexFailure) -> Result {
        gate.enter()
        let result: Result
        let changes: [IndexChange]
        let isMoreWanted: Bool
        let touched: ItemSets
        do {
            writer.value.isObserved = observer.isSet
            result = try writer.value.transaction(freesSpace: freesSpace, body)
            changes = writer.value.takeChanges()
            isMoreWanted = writer.value.keeping.takeNews()
            touched = writer.value.takeTouchedSets()
        } catch {
            gate.leave()
            throw error
        }
        checkpointer.noteCommit()
        gate.leave()
        if !changes.isEmpty { observer.tell(changes) }
        if isMoreWanted { wantedObserver.tell(()) }
        if !touched.isEmpty { setObserver.tell(touched) }
        return result
    }

    /// Sets who is asked before each commit whether the disk has room for it: for tests.
    package func limitRoom(_ hasRoom: (@Sendable () -> Bool)?) {
        gate.enter()
        defer { gate.leave() }
        writer.value.connection.hasRoom = hasRoom
    }

    /// The number that the next new item gets, to whoever inserts items; see ``IndexWriter/insert(_:keepsNumber:)``.
    func nextNumber() -> ItemNumber {
        gate.enter()
        defer { gate.leave() }
        return writer.value.nextNumber
    }

    /// Gives no new item a number up to this one, for as long as this process runs: after a write that failed, the journal on the
    /// disk may still have an entry of that number, which the next start would take for an edit of the other item.
    func skipNumbers(through number: ItemNumber) {
        gate.enter()
        defer { gate.leave() }
        writer.value.skipNumbers(through: number)
    }

    // MARK: Reading

    /// The item of a number; `nil` when it was removed here, or never was.
    package func item(_ number: ItemNumber) throws(IndexFailure) -> IndexedItem? {
        let item = try itemEvenIfDeleted(number)
        return item?.changes.contains(.deleted) == true ? nil : item
    }

    /// The item of a number, also when it was removed here and the provider does not know yet.
    package func itemEvenIfDeleted(_ number: ItemNumber) throws(IndexFailure) -> IndexedItem? {
        try read { queries throws(IndexFailure) in try queries.item(number) }
    }

    /// The item of an identifier, also when it was removed here and the provider does not know yet.
    package func item(identifier: String) throws(IndexFailure) -> IndexedItem? {
        try read { queries throws(IndexFailure) in
            guard let number = try queries.number(identifier: identifier) else { return nil }
            return try queries.item(number)
        }
    }

    /// What a folder shows under a name.
    package func item(named name: String, in parent: ItemNumber) throws(IndexFailure) -> IndexedItem? {
        try read { queries throws(IndexFailure) in try queries.item(named: name, in: parent) }
    }

    /// What a folder shows, by number: so the number of the last one is where to go on, whatever changes meanwhile.
    ///
    /// - Parameters:
    ///   - number: those after this one; `nil` for all.
    ///   - limit: so many at most.
    ///   - body: called for each; `false` for enough. It may read the index, and not write it.
    package func children(
        of parent: ItemNumber, after number: ItemNumber? = nil, limit: Int = .max,
        _ body: (IndexedItem) throws(IndexFailure) -> Bool
    ) throws(IndexFailure) {
        guard limit > 0 else { return }
        try read { queries throws(IndexFailure) in
            var count = 0
            try queries.children(of: parent, after: number) { row throws(IndexFailure) in
                guard row.isShown else { return true }
                count += 1
                return try body(try row.item()) && count < limit
            }
        }
    }

    /// The names, numbers and kinds of what a folder shows, by number, which is all that a listing without attributes needs.
    ///
    /// - Parameter body: called for each; the name's bytes are valid meanwhile. `false` for enough.
    package func names(
        in parent: ItemNumber, after number: ItemNumber? = nil,
        _ body: (ItemNumber, ProviderItem.Kind, UnsafeRawBufferPointer) -> Bool
    ) throws(IndexFailure) {
        try read { queries throws(IndexFailure) in
            try queries.children(of: parent, after: number) { row throws(IndexFailure) in
                guard row.isShown else { return true }
                let key = try PackedItem.key(row.bytes)
                return body(row.number, key.kind, key.name)
            }
        }
    }

    /// How many items a folder shows.
    package func childCount(of parent: ItemNumber) throws(IndexFailure) -> Int {
        try read { queries throws(IndexFailure) in
            let statement = try queries.connection.statement(
                "SELECT (SELECT count(*) FROM items WHERE parent = ?1)"
                    + " - (SELECT count(*) FROM items WHERE changes <> 0 AND changes & 8 AND parent = ?1)")
            statement.bind(1, parent.rawValue)
            return Int(try statement.number() ?? 0)
        }
    }

    /// Items that something was done to here.
    package func changedItems() throws(IndexFailure) -> [IndexedItem] {
        var items: [IndexedItem] = []
        try changedItems { items.append($0) }
        return items
    }

    /// Calls a function for each item that something was done to here, by number; it may not read the index.
    func changedItems(_ body: (IndexedItem) -> Void) throws(IndexFailure) {
        try read { queries throws(IndexFailure) in
            let statement = try queries.connection.statement("SELECT number FROM items WHERE changes <> 0 ORDER BY 1")
            defer { statement.reset() }
            while try statement.step() {
                if let item = try queries.item(ItemNumber(rawValue: statement.integer(0))) { body(item) }
            }
        }
    }

    /// Which of the parents that items name no item has told of.
    package func unknownParents(of items: [ProviderItem]) throws(IndexFailure) -> [String] {
        try read { queries throws(IndexFailure) in
            var told = Set(items.lazy.map(\.identifier))
            var unknown: [String] = []
            for item in items where !told.contains(item.parent) {
                told.insert(item.parent)
                if try queries.number(identifier: item.parent) == nil { unknown.append(item.parent) }
            }
            return unknown
        }
    }

    /// How much is in the index.
    package func statistics() throws(IndexFailure) -> IndexStatistics {
        try read { queries throws(IndexFailure) in
            let connection = queries.connection
            return IndexStatistics(
                // The root is none.
                items: Int(try connection.number("SELECT count(*) FROM items")) - 1,
                changed: Int(try connection.number("SELECT count(*) FROM items WHERE changes <> 0")),
                evictableFiles: Int(try connection.number("SELECT count(*) FROM used")),
                evictableBytes: try connection.number("SELECT total(size) FROM used"))
        }
    }

    /// Bytes of clean contents on this machine that may go.
    func evictableBytes() throws(IndexFailure) -> Int64 {
        try read { queries throws(IndexFailure) in
            try queries.connection.number("SELECT total(size) FROM used")
        }
    }

    /// Where the changes of a container that are not known yet begin.
    package func anchor(of container: String) throws(IndexFailure) -> [UInt8]? {
        try value("SELECT anchor FROM anchors WHERE container = ?1", container)
    }

    package func setting(_ key: String) throws(IndexFailure) -> [UInt8]? {
        try value("SELECT value FROM settings WHERE key = ?1", key)
    }

    private func value(_ sql: String, _ key: String) throws(IndexFailure) -> [UInt8]? {
        try read { queries throws(IndexFailure) in
            let statement = try queries.connection.statement(sql)
            statement.bind(1, key)
            guard try statement.step() else { return nil }
            return [UInt8](statement.bytes(0))
        }
    }

    func read<Result>(
        _ body: (IndexQueries) throws(IndexFailure) -> Result
    ) throws(IndexFailure) -> Result {
        let queries: IndexQueries
        if let idle = readers.withLock({ $0.popLast() }) {
            queries = idle.value
        } else {
            let connection = try DatabaseConnection(path: path, .reading, cache: Self.readerCache)
            queries = try IndexQueries(connection, hash: hash, lookup: lookup)
        }
        // One that failed is not used again.
        let result = try body(queries)
        let returned = UnsafeTransfer(value: queries)
        readers.withLock { if $0.count < Self.idleReaders { $0.append(returned) } }
        return result
    }
}

/// How much is in an index.
package struct IndexStatistics: Sendable, Equatable {
    /// All but the root.
    package var items: Int
    /// Those that something was done to here.
    package var changed: Int
    /// Files whose clean contents are on this machine and may go.
    package var evictableFiles: Int
    package var evictableBytes: Int64
}
