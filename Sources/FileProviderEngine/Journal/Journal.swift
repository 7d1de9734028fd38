import FileProvider
import Glibc
import LinuxSystem

/// What was done on this machine and the provider has not confirmed, an entry per item, in a file of its own that outlives the
/// index. What a function has written when it returns outlives the end of this process; when it is on the disk, ``DurableWrites``
/// sees to.
///
/// Used by one thread, the engine's.
package final class Journal {
    /// What was wrong with the file when it was opened, in a sentence; `nil` when nothing was.
    package private(set) var damage: String?

    /// What is not on the disk yet. For any thread.
    let log: CommitLog

    let connection: DatabaseConnection
    private let checkpointer: Checkpointer?
    private let reserve: ReserveFile
    private let putEntry: Statement
    private let removeEntry: Statement
    private let findEntry: Statement
    private let allEntries: Statement
    private let dueEntries: Statement
    private var bytes = ByteWriter()
    /// What counts as written, though the disk had no room for it: by number, and `nil` for an entry that is to go. The next change that
    /// there is room for writes it along.
    private var owed: [ItemNumber: JournalEntry?] = [:]

    private static let version: Int64 = 1
    private static let columns = "number, parent, changes, next_attempt, data"

    /// Opens a journal, or makes it.
    ///
    /// A damaged file is put aside beside it, as `NAME.damaged-1` and so on, and what can be read of it goes into a new one;
    /// ``damage`` then says so.
    ///
    /// - Throws: ``IndexFailure/corrupt(_:)`` only when the file is one of a later version, which is left alone.
    package convenience init(path: String) throws(IndexFailure) {
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

    init(opening path: String, readOnly: Bool = false) throws(IndexFailure) {
        connection = try DatabaseConnection(path: path, .writing, cache: 1 << 20)
        reserve = ReserveFile(besides: path)
        try connection.run("PRAGMA page_size = \(JournalPages.pageSize)")
        try connection.run("PRAGMA journal_mode = WAL")
        // No commit waits for the disk, and none is half there after a power failure.
        try connection.run("PRAGMA synchronous = NORMAL")
        let version = try connection.number("PRAGMA user_version")
        guard version <= Self.version else {
            throw .system("The journal has version \(version), and this program reads \(Self.version).")
        }
        if version == 0 {
            guard try connection.number("SELECT count(*) FROM sqlite_schema") == 0 else {
                throw .corrupt("the file holds tables of something else")
            }
            try Self.create(in: connection)
        } else if !readOnly {
            try connection.check(upTo: .max)
        }
        if !readOnly { try Self.createFacts(in: connection) }
        putEntry = try connection.statement(
            "INSERT OR REPLACE INTO entries (\(Self.columns)) VALUES (?1, ?2, ?3, ?4, ?5)")
        removeEntry = try connection.statement("DELETE FROM entries WHERE number = ?1")
        findEntry = try connection.statement("SELECT \(Self.columns) FROM entries WHERE number = ?1")
        allEntries = try connection.statement("SELECT \(Self.columns) FROM entries ORDER BY number")
        dueEntries = try connection.statement(
            "SELECT \(Self.columns) FROM entries WHERE next_attempt <= ?1 ORDER BY next_attempt, number")
        log = try CommitLog(ofDatabase: path)
        checkpointer = readOnly ? nil : try Checkpointer(path: path, connection)
        if !readOnly { reserve.fill() }
    }

    deinit { checkpointer?.stop() }

    private static func create(in connection: DatabaseConnection) throws(IndexFailure) {
        try connection.transaction { () throws(IndexFailure) in
            try connection.run(
                """
                CREATE TABLE entries (
                    number INTEGER PRIMARY KEY, parent INTEGER NOT NULL, changes INTEGER NOT NULL,
                    next_attempt REAL NOT NULL, data BLOB NOT NULL);
                CREATE INDEX entries_due ON entries (next_attempt);
                """)
            try connection.run("PRAGMA user_version = \(version)")
        }
    }

    // MARK: Writing

    /// Writes entries down, all or none, each in the place of an earlier one of its number.
    ///
    /// - Parameter freesSpace: whether they serve to make room on a full disk, as the removal of a file does. They may then use
    ///   the space that is held back for that.
    package func put(_ entries: [JournalEntry], freesSpace: Bool = false) throws(IndexFailure) {
        guard !entries.isEmpty else { return }
        try change(freesSpace: freesSpace) { () throws(IndexFailure) in
            for entry in entries { try insert(entry) }
        }
    }

    package func put(_ entry: JournalEntry, freesSpace: Bool = false) throws(IndexFailure) {
        try put([entry], freesSpace: freesSpace)
    }

    /// The provider has what the entries were about, or there is nothing left of it. Works on a full disk.
    package func remove(_ numbers: [ItemNumber]) throws(IndexFailure) {
        guard !numbers.isEmpty else { return }
        try change(freesSpace: true) { () throws(IndexFailure) in
            for number in numbers { try delete(number) }
        }
    }

    package func remove(_ number: ItemNumber) throws(IndexFailure) { try remove([number]) }

    /// Removes some entries and writes others down, all or nothing.
    package func replace(
        removing numbers: [ItemNumber], putting entries: [JournalEntry], freesSpace: Bool = false
    ) throws(IndexFailure) {
        guard !numbers.isEmpty || !entries.isEmpty else { return }
        try change(freesSpace: freesSpace) { () throws(IndexFailure) in
            for number in numbers { try delete(number) }
            for entry in entries { try insert(entry) }
        }
    }

    /// Changes one entry, where there is one.
    ///
    /// - Returns: what it is then.
    @discardableResult
    package func update(
        _ number: ItemNumber, _ change: (inout JournalEntry) -> Void
    ) throws(IndexFailure) -> JournalEntry? {
        guard var entry = try entry(number) else { return nil }
        change(&entry)
        try put(entry)
        return entry
    }

    func change(freesSpace: Bool, _ body: () throws(IndexFailure) -> Void) throws(IndexFailure) {
        do {
            try changeOnce(body)
            if !freesSpace { reserve.fill() }
        } catch .full where freesSpace && reserve.spend() {
            try changeOnce(body)
        }
        log.noteCommit()
        checkpointer?.noteCommit()
    }

    private func changeOnce(_ body: () throws(IndexFailure) -> Void) throws(IndexFailure) {
        let owed = owed
        try connection.transaction { () throws(IndexFailure) in
            for (number, entry) in owed {
                if let entry { try insert(entry) } else { try delete(number) }
            }
            try body()
        }
        self.owed = [:]
    }

    /// Sets who is asked before each commit whether the disk has room for it: for tests.
    func limitRoom(_ hasRoom: (@Sendable () -> Bool)?) { connection.hasRoom = hasRoom }

    // MARK: Without room

    /// Does the same as ``replace(removing:putting:freesSpace:)`` for what has happened already, and cannot be refused any more: where
    /// the disk has no room for it, it counts all the same, and is written later. Until then the end of this process takes it,
    /// which leaves what is there where the process ends just before.
    func replaceInAnyCase(
        removing numbers: [ItemNumber], putting entries: [JournalEntry], freesSpace: Bool
    ) throws(IndexFailure) {
        do {
            try replace(removing: numbers, putting: entries, freesSpace: freesSpace)
        } catch .full {
            for number in numbers { owed[number] = .some(nil) }
            for entry in entries { owed[entry.number] = entry }
        }
    }

    /// Whether something is still to be written that counts already.
    var owesChanges: Bool { !owed.isEmpty }

    /// Writes that, if there is room now.
    func payChanges() throws(IndexFailure) {
        guard owesChanges else { return }
        try change(freesSpace: false) {}
    }

    private func insert(_ entry: JournalEntry) throws(IndexFailure) {
        bytes.clear()
        entry.write(to: &bytes)
        putEntry.bind(1, entry.number.rawValue)
        putEntry.bind(2, entry.parent.rawValue)
        putEntry.bind(3, Int64(entry.changes.rawValue))
        putEntry.bind(4, entry.nextAttempt)
        putEntry.bind(5, kept: bytes.bytes)
        try putEntry.run()
    }

    private func delete(_ number: ItemNumber) throws(IndexFailure) {
        removeEntry.bind(1, number.rawValue)
        try removeEntry.run()
    }

    // MARK: Reading

    package func entry(_ number: ItemNumber) throws(IndexFailure) -> JournalEntry? {
        if let owed = owed[number] { return owed }
        findEntry.bind(1, number.rawValue)
        return try entries(findEntry).first
    }

    /// Every entry, by number.
    package func all() throws(IndexFailure) -> [JournalEntry] {
        let written = try entries(allEntries)
        guard owesChanges else { return written }
        let kept = written.filter { owed[$0.number] == nil }
        return (kept + owed.values.compactMap { $0 }).sorted { $0.number.rawValue < $1.number.rawValue }
    }

    /// Entries whose next attempt is at a time or before it, the earliest first.
    ///
    /// - Parameter time: seconds since 1970.
    package func due(before time: Double) throws(IndexFailure) -> [JournalEntry] {
        dueEntries.bind(1, time)
        return try entries(dueEntries)
    }

    /// When the next entry is due, at whatever time; `nil` when there are none.
    package func nextAttempt() throws(IndexFailure) -> Double? {
        let statement = try connection.statement("SELECT min(next_attempt) FROM entries")
        guard try statement.step() else { return nil }
        return statement.isNull(0) ? nil : statement.double(0)
    }

    package func count() throws(IndexFailure) -> Int { Int(try connection.number("SELECT count(*) FROM entries")) }

    private func entries(_ statement: Statement) throws(IndexFailure) -> [JournalEntry] {
        defer { statement.reset() }
        var entries: [JournalEntry] = []
        while try statement.step() { entries.append(try Self.entry(statement)) }
        return entries
    }

    private static func entry(_ statement: Statement) throws(IndexFailure) -> JournalEntry {
        try JournalEntry.read(
            number: ItemNumber(rawValue: statement.integer(0)), parent: ItemNumber(rawValue: statement.integer(1)),
            changes: LocalChanges(rawValue: UInt8(truncatingIfNeeded: statement.integer(2))),
            nextAttempt: statement.double(3), statement.bytes(4))
    }

    /// Every entry that can be read, and how many are known to be there that cannot.
    func readableEntries() -> (entries: [JournalEntry], unreadable: Int) {
        var entries: [Int64: JournalEntry] = [:]
        var unreadable = 0
        // A damaged page ends a walk; the one from the other side then finds what lies behind it.
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
