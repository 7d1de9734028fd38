import Glibc
import LinuxSystem

/// The log of local edits that the provider has not confirmed, with one entry per item. The journal is a separate
/// database and survives the loss of the index. Once a function returns, its changes survive the end of this process.
/// ``DurableWrites`` flushes them to disk.
///
/// Only the engine's thread may use the journal.
package final class Journal {
    /// A sentence that describes the damage found when the file was opened; `nil` if there was none.
    package private(set) var damage: String?

    /// The write-ahead log of the journal, with which any thread may flush the journal.
    package let log: CommitLog

    let connection: DatabaseConnection
    private let checkpointer: Checkpointer?
    private let reserve: ReserveFile
    private let putEntry: Statement
    private let removeEntry: Statement
    private let findEntry: Statement
    private let allEntries: Statement
    private var bytes = ByteWriter()
    /// The changes that count as written although the disk had no space for them, by item number; `nil` for an entry to
    /// remove. They are written with the next change for which the disk has space.
    private var unwritten: [ItemNumber: JournalEntry?] = [:]

    private static let version: Int64 = 1
    private static let columns = "number, parent, changes, data"

    /// Opens a journal, or creates it if the file does not exist.
    ///
    /// A damaged file is renamed to `NAME.damaged-1` and so on, and its readable entries are copied to a new file.
    /// ``damage`` then describes the damage.
    ///
    /// - Throws: ``IndexError/system(_:)`` if a later version of this program wrote the file. The file is then not
    ///   changed.
    package convenience init(path: String) throws(IndexError) {
        do {
            try self.init(opening: path)
        } catch .corrupt(let words) {
            let aside = try JournalSalvage.putAside(path)
            let saved = JournalSalvage.entries(of: aside)
            try self.init(opening: path)
            try put(saved.entries)
            damage =
                "The journal was damaged (\(words)). \(saved.entries.count) changes were saved from it"
                + (saved.unreadable > 0 ? ", \(saved.unreadable) could not be read" : "")
                + "; the damaged file is \(aside)."
        }
    }

    init(opening path: String, readOnly: Bool = false) throws(IndexError) {
        connection = try DatabaseConnection(path: path, .writing, cache: 1 << 20)
        reserve = ReserveFile(besides: path)
        try connection.run("PRAGMA page_size = \(JournalPages.pageSize)")
        try connection.run("PRAGMA journal_mode = WAL")
        // With this setting, no commit waits for the disk, and none is partial after a power failure.
        try connection.run("PRAGMA synchronous = NORMAL")
        let version = try connection.number("PRAGMA user_version")
        guard version <= Self.version else {
            throw .system("The journal has version \(version), and this program reads \(Self.version).")
        }
        if version == 0 {
            guard try connection.number("SELECT count(*) FROM sqlite_schema") == 0 else {
                throw .corrupt("the file has the tables of another program")
            }
            try Self.create(in: connection)
        } else if !readOnly {
            try connection.check(upTo: .max)
        }
        if !readOnly { try Self.createMetadataTable(in: connection) }
        putEntry = try connection.statement(
            "INSERT OR REPLACE INTO entries (\(Self.columns), next_attempt) VALUES (?1, ?2, ?3, ?4, 0)")
        removeEntry = try connection.statement("DELETE FROM entries WHERE number = ?1")
        findEntry = try connection.statement("SELECT \(Self.columns) FROM entries WHERE number = ?1")
        allEntries = try connection.statement("SELECT \(Self.columns) FROM entries ORDER BY number")
        log = try CommitLog(ofDatabase: path)
        checkpointer = readOnly ? nil : try Checkpointer(path: path, connection)
        if !readOnly { reserve.fill() }
    }

    deinit { checkpointer?.stop() }

    private static func create(in connection: DatabaseConnection) throws(IndexError) {
        // The column `next_attempt` is not used. Journals of earlier versions have the column, and an index on it.
        try connection.transaction { () throws(IndexError) in
            try connection.run(
                """
                CREATE TABLE entries (
                    number INTEGER PRIMARY KEY, parent INTEGER NOT NULL, changes INTEGER NOT NULL,
                    next_attempt REAL NOT NULL, data BLOB NOT NULL);
                """)
            try connection.run("PRAGMA user_version = \(version)")
        }
    }

    // MARK: Writing

    /// Writes all given entries or none. Each replaces an earlier entry with the same item number.
    ///
    /// - Parameter freesSpace: Whether the edits in the entries free space, as the removal of a file does. If the disk
    ///   is full, such entries may use the reserved space.
    package func put(_ entries: [JournalEntry], freesSpace: Bool = false) throws(IndexError) {
        guard !entries.isEmpty else { return }
        try change(freesSpace: freesSpace) { () throws(IndexError) in
            for entry in entries { try insert(entry) }
        }
    }

    package func put(_ entry: JournalEntry, freesSpace: Bool = false) throws(IndexError) {
        try put([entry], freesSpace: freesSpace)
    }

    /// Removes the entries of the given items, because the provider has confirmed them or the items are gone. Succeeds
    /// even on a full disk.
    package func remove(_ numbers: [ItemNumber]) throws(IndexError) {
        guard !numbers.isEmpty else { return }
        try change(freesSpace: true) { () throws(IndexError) in
            for number in numbers { try delete(number) }
        }
    }

    package func remove(_ number: ItemNumber) throws(IndexError) { try remove([number]) }

    /// Removes the entries of some items and writes other entries, in one transaction.
    package func replace(
        removing numbers: [ItemNumber], putting entries: [JournalEntry], freesSpace: Bool = false
    ) throws(IndexError) {
        guard !numbers.isEmpty || !entries.isEmpty else { return }
        try change(freesSpace: freesSpace) { () throws(IndexError) in
            for number in numbers { try delete(number) }
            for entry in entries { try insert(entry) }
        }
    }

    /// Changes the entry of the given item, if there is one.
    ///
    /// - Returns: The changed entry; `nil` if there is none.
    @discardableResult
    package func update(
        _ number: ItemNumber, _ change: (inout JournalEntry) -> Void
    ) throws(IndexError) -> JournalEntry? {
        guard var entry = try entry(number) else { return nil }
        change(&entry)
        try put(entry)
        return entry
    }

    func change(freesSpace: Bool, _ body: () throws(IndexError) -> Void) throws(IndexError) {
        do {
            try changeOnce(body)
            if !freesSpace { reserve.fill() }
        } catch .full where freesSpace && reserve.spend() {
            try changeOnce(body)
        }
        log.noteCommit()
        checkpointer?.noteCommit()
    }

    private func changeOnce(_ body: () throws(IndexError) -> Void) throws(IndexError) {
        let unwritten = unwritten
        try connection.transaction { () throws(IndexError) in
            for (number, entry) in unwritten {
                if let entry { try insert(entry) } else { try delete(number) }
            }
            try body()
        }
        self.unwritten = [:]
    }

    /// Sets a closure with which tests simulate a full disk. The closure is called before each commit, and returns
    /// whether there is space. `nil` removes the closure.
    package func limitRoom(_ hasRoom: (@Sendable () -> Bool)?) { connection.hasRoom = hasRoom }

    // MARK: Without space

    /// Writes as ``replace(removing:putting:freesSpace:)`` does, for changes that have already happened and cannot be
    /// undone. If the disk has no space, the changes count as written and are written later. If the process ends before
    /// that, the changes are missing in the journal, as if the process had ended before they were made.
    package func replaceInAnyCase(
        removing numbers: [ItemNumber], putting entries: [JournalEntry], freesSpace: Bool
    ) throws(IndexError) {
        do {
            try replace(removing: numbers, putting: entries, freesSpace: freesSpace)
        } catch .full {
            for number in numbers { unwritten[number] = .some(nil) }
            for entry in entries { unwritten[entry.number] = entry }
        }
    }

    /// Whether there are changes that count as written but are only in memory.
    package var hasUnwrittenChanges: Bool { !unwritten.isEmpty }

    /// Writes the changes that count as written but are only in memory, if the disk has space now.
    package func writeUnwrittenChanges() throws(IndexError) {
        guard hasUnwrittenChanges else { return }
        try change(freesSpace: false) {}
    }

    private func insert(_ entry: JournalEntry) throws(IndexError) {
        bytes.clear()
        entry.write(to: &bytes)
        putEntry.bind(1, entry.number.rawValue)
        putEntry.bind(2, entry.parent.rawValue)
        putEntry.bind(3, Int64(entry.changes.rawValue))
        putEntry.bind(4, kept: bytes.bytes)
        try putEntry.run()
    }

    private func delete(_ number: ItemNumber) throws(IndexError) {
        removeEntry.bind(1, number.rawValue)
        try removeEntry.run()
    }

    // MARK: Reading

    package func entry(_ number: ItemNumber) throws(IndexError) -> JournalEntry? {
        if let unwritten = unwritten[number] { return unwritten }
        findEntry.bind(1, number.rawValue)
        return try entries(findEntry).first
    }

    /// Returns all entries in the order of their item numbers.
    package func all() throws(IndexError) -> [JournalEntry] {
        let written = try entries(allEntries)
        guard hasUnwrittenChanges else { return written }
        let kept = written.filter { unwritten[$0.number] == nil }
        return (kept + unwritten.values.compactMap { $0 }).sorted { $0.number.rawValue < $1.number.rawValue }
    }

    package func count() throws(IndexError) -> Int { Int(try connection.number("SELECT count(*) FROM entries")) }

    private func entries(_ statement: Statement) throws(IndexError) -> [JournalEntry] {
        defer { statement.reset() }
        var entries: [JournalEntry] = []
        while try statement.step() { entries.append(try Self.entry(statement)) }
        return entries
    }

    private static func entry(_ statement: Statement) throws(IndexError) -> JournalEntry {
        try JournalEntry.read(
            number: ItemNumber(rawValue: statement.integer(0)), parent: ItemNumber(rawValue: statement.integer(1)),
            changes: LocalChanges(rawValue: UInt8(truncatingIfNeeded: statement.integer(2))),
            statement.bytes(3))
    }

    /// Returns all readable entries, and the number of unreadable entries.
    func readableEntries() -> (entries: [JournalEntry], unreadable: Int) {
        var entries: [Int64: JournalEntry] = [:]
        var unreadable = 0
        // A damaged page ends a scan. The scan in the other direction then finds the entries behind it.
        for order in ["", " DESC"] {
            guard
                let statement = try? connection.statement(
                    "SELECT \(Self.columns) FROM entries NOT INDEXED ORDER BY number\(order)")
            else { continue }
            while (try? statement.step()) == true {
                let number = statement.integer(0)
                guard entries[number] == nil else { continue }
                if let entry = try? Self.entry(statement) { entries[number] = entry } else { unreadable += 1 }
            }
        }
        return (entries.values.sorted { $0.number.rawValue < $1.number.rawValue }, unreadable)
    }
}
