import Glibc
import LinuxSystem

/// Everything that was ever seen in a folder, with an identifier that stays through renames, moves and replacements.
///
/// The file system has none that an extension may read: attributes and file handles are closed to a confined process. So the
/// catalogue remembers where each item was and its inode, and finds out at the next look what became of it. It numbers every
/// change that it finds, and these numbers are the anchors of the change feed.
///
/// For one thread at a time; ``SharedCatalogue`` sees to that. Methods block on the file system.
package struct Catalogue {
    let database: Database
    /// The served folder.
    let path: String
    /// Tells this catalogue from one that was made after it was lost: its numbers mean other items.
    package let stamp: String

    /// The identity of the served folder.
    let identity = Identity()
    /// The temporary files that this process is writing.
    let work = Work()

    /// Which folders may have changed since they were looked at.
    let watches: FolderWatches

    /// The most that SQLite keeps of the file, in KiB. The index of the inodes of a large folder is written in no order.
    private static let cacheSize = 64 << 10

    /// More items that are gone than this are not remembered.
    private static let mostGone: Int64 = 20_000

    /// Opens the catalogue of a folder, or makes it.
    ///
    /// - Parameters:
    ///   - path: the folder that is served.
    ///   - store: the catalogue's file. One that is damaged is made anew: every item then has a new identifier.
    init(of path: String, store: String, watches: FolderWatches) throws {
        self.path = path
        self.watches = watches
        do {
            (database, stamp) = try Self.open(store)
        } catch let failure as Database.Failure where failure.isCorrupt {
            for suffix in ["", "-journal"] { unlink(store + suffix) }
            (database, stamp) = try Self.open(store)
        }
        // A disk that is full or read-only does not keep the folder from being served.
        try? labelEarlierTrash()
        try noteIdentity()
        removeLeftovers()
        try forgetOldest()
    }

    private static func open(_ store: String) throws -> (Database, String) {
        let database = try Database(store)
        // What is lost with a crash of the machine is found again in the folder.
        try database.execute(
            """
            PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = TRUNCATE; PRAGMA synchronous = OFF;
            PRAGMA cache_size = -\(cacheSize);
            """)
        try database.execute(
            """
            CREATE TABLE IF NOT EXISTS item (
                number INTEGER PRIMARY KEY AUTOINCREMENT, parent INTEGER NOT NULL, name BLOB NOT NULL,
                kind INTEGER NOT NULL, inode INTEGER NOT NULL, size INTEGER NOT NULL, modified INTEGER NOT NULL,
                permissions INTEGER NOT NULL, target BLOB NOT NULL, gone INTEGER NOT NULL DEFAULT 0,
                listed INTEGER NOT NULL DEFAULT 0, former INTEGER NOT NULL DEFAULT 0, revision INTEGER NOT NULL,
                fraction INTEGER NOT NULL DEFAULT 0, changed INTEGER NOT NULL DEFAULT 0,
                birth INTEGER NOT NULL DEFAULT 0, links INTEGER NOT NULL DEFAULT 0,
                contents INTEGER NOT NULL DEFAULT 0);
            CREATE UNIQUE INDEX IF NOT EXISTS place ON item (parent, name) WHERE gone = 0;
            CREATE INDEX IF NOT EXISTS page ON item (parent, number);
            CREATE INDEX IF NOT EXISTS inode ON item (inode);
            CREATE INDEX IF NOT EXISTS news ON item (revision) WHERE revision > 0;
            DROP INDEX IF EXISTS revision;
            DROP INDEX IF EXISTS told;
            CREATE TABLE IF NOT EXISTS setting (name BLOB PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID;
            """)
        try addColumns(to: database)
        try database.execute(Self.marksTable)
        try database.execute(Self.copiesTable)
        try database.execute(Self.trashRow)
        try database.execute(Self.stagedTable)
        if let stamp = try setting("stamp", in: database) { return (database, String(decoding: stamp, as: UTF8.self)) }
        let stamp = String(UInt64.random(in: (1 << 60)...UInt64.max), radix: 36)
        try database.transaction {
            try database.run(
                """
                INSERT INTO item (number, parent, name, kind, inode, size, modified, permissions, target, revision)
                VALUES (1, 0, x'', 1, 0, 0, 0, 493, x'', 1)
                """)
            try set("stamp", Array(stamp.utf8), in: database)
        }
        return (database, stamp)
    }

    /// Brings a catalogue up to date that was made before dates beyond those that nanoseconds can count, and before files were known
    /// by more than size and date.
    private static func addColumns(to database: Database) throws {
        let columns = try database.all("SELECT name FROM pragma_table_info('item')") {
            String(decoding: $0.bytes(0), as: UTF8.self)
        }
        guard !columns.contains("fraction") else { return }
        try database.transaction {
            for column in ["fraction", "changed", "birth", "links", "contents"] {
                try database.execute("ALTER TABLE item ADD COLUMN \(column) INTEGER NOT NULL DEFAULT 0")
            }
            try database.execute(
                """
                UPDATE item SET fraction = ((modified % 1000000000) + 1000000000) % 1000000000;
                UPDATE item SET modified = (modified - fraction) / 1000000000;
                """)
        }
    }

    static func setting(_ name: String, in database: Database) throws -> [UInt8]? {
        try database.first("SELECT value FROM setting WHERE name = ?", .bytes(Array(name.utf8))) { $0.bytes(0) }
    }

    static func set(_ name: String, _ value: [UInt8], in database: Database) throws {
        try database.run(
            "INSERT OR REPLACE INTO setting (name, value) VALUES (?, ?)", .bytes(Array(name.utf8)), .bytes(value))
    }

    func number(_ setting: String) throws -> Int64 {
        Int64(String(decoding: try Self.setting(setting, in: database) ?? [], as: UTF8.self)) ?? 0
    }

    func set(_ setting: String, to number: Int64) throws {
        try Self.set(setting, Array("\(number)".utf8), in: database)
    }

    private func forgetOldest() throws {
        let gone = try database.first("SELECT COUNT(*) FROM item WHERE gone = 1") { $0.integer(0) } ?? 0
        guard gone > Self.mostGone else { return }
        try database.transaction {
            let last =
                try database.first(
                    "SELECT revision FROM item WHERE gone = 1 AND revision > 0 ORDER BY revision LIMIT 1 OFFSET ?",
                    .integer(gone - Self.mostGone / 2)
                ) { $0.integer(0) } ?? 0
            try database.run("DELETE FROM item WHERE gone = 1 AND revision <= ?", .integer(last))
            try database.run("DELETE FROM mark WHERE number NOT IN (SELECT number FROM item)")
            try set("forgotten", to: last)
            repeat {
                // What was in a folder that is forgotten.
                try database.run(
                    "DELETE FROM item WHERE number > 1 AND parent NOT IN (SELECT number FROM item WHERE kind = 1)")
            } while try database.first("SELECT changes()", read: { $0.integer(0) > 0 }) == true
        }
    }
}

// MARK: - Rows

extension Catalogue {
    static let columns = """
        number, parent, name, kind, inode, size, modified, permissions, target, gone, listed, former, fraction, changed, birth,
        links, contents
        """

    static func read(_ row: Database.Row) -> CatalogueItem {
        CatalogueItem(
            number: row.integer(0), parent: row.integer(1), name: row.bytes(2),
            facts: CatalogueItem.Facts(
                kind: CatalogueItem.Kind(rawValue: row.integer(3)) ?? .file,
                inode: UInt64(bitPattern: row.integer(4)), birth: row.integer(14), size: row.integer(5),
                modified: FileTime(
                    seconds: row.integer(6), nanoseconds: Int32(truncatingIfNeeded: row.integer(12))),
                changed: row.integer(13), links: row.integer(15),
                permissions: mode_t(truncatingIfNeeded: row.integer(7)), target: row.bytes(8)),
            isGone: row.integer(9) != 0, contents: row.integer(16), isListed: row.integer(10) != 0,
            formerParent: row.integer(11))
    }

    /// Whatever has the number, also what is gone.
    func row(_ number: Int64) throws -> CatalogueItem? {
        try database.first(
            "SELECT \(Self.columns) FROM item WHERE number = ?", .integer(number), read: Self.read)
    }

    func row(named name: [UInt8], in parent: Int64) throws -> CatalogueItem? {
        try database.first(
            "SELECT \(Self.columns) FROM item WHERE parent = ? AND name = ? AND gone = 0", .integer(parent),
            .bytes(name), read: Self.read)
    }

    /// The number of the last change.
    func lastRevision() throws -> Int64 {
        // The condition is that of the index, which leaves out the items of a first listing: they are no changes.
        try database.first("SELECT MAX(revision) FROM item WHERE revision > 0") { $0.integer(0) } ?? 0
    }

    /// The number of the next change.
    func nextRevision() throws -> Int64 { try lastRevision() + 1 }

    /// Adds an item that was not known.
    ///
    /// - Parameters:
    ///   - isChange: whether the change feed reports it. The items of a folder that is listed for the first time are in the listing.
    ///   - mayBeTaken: whether another item may have had the name.
    func insert(
        _ name: [UInt8], in parent: Int64, _ facts: CatalogueItem.Facts, isChange: Bool = true, mayBeTaken: Bool = true
    ) throws -> CatalogueItem {
        if mayBeTaken { try clear(name, in: parent, for: 0) }
        let revision = isChange ? try nextRevision() : 0
        try database.run(Self.oneAddition) { binder in
            Self.bind(name, parent, facts, revision, to: &binder)
        }
        return CatalogueItem(number: database.lastNumber, parent: parent, name: name, facts: facts)
    }

    /// Adds items that the change feed does not report, under names that nothing else has.
    ///
    /// - Parameter files: at most ``mostAdditions``.
    func insert(_ files: ArraySlice<FoundFile>, in parent: Int64) throws {
        let text = files.count == Self.mostAdditions ? Self.fullAddition : Self.addition(of: files.count)
        try database.run(text) { binder in
            for file in files { Self.bind(file.name, parent, file.facts, 0, to: &binder) }
        }
    }

    /// The number of rows that one statement adds at most. So many take half the time of as many statements.
    static let mostAdditions = 32

    private static let oneAddition = addition(of: 1)
    private static let fullAddition = addition(of: mostAdditions)

    private static func addition(of count: Int) -> String {
        let rows = repeatElement("(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", count: count).joined(separator: ", ")
        return """
            INSERT INTO item (parent, name, kind, inode, size, modified, permissions, target, revision, fraction, changed,
            birth, links) VALUES \(rows)
            """
    }

    /// Binds the values of one row of ``addition(of:)``.
    private static func bind(
        _ name: [UInt8], _ parent: Int64, _ facts: CatalogueItem.Facts, _ revision: Int64,
        to binder: inout Database.Binder
    ) {
        binder.add(parent)
        binder.add(name)
        binder.add(facts.kind.rawValue)
        binder.add(Int64(bitPattern: facts.inode))
        binder.add(facts.size)
        binder.add(facts.modified.seconds)
        binder.add(Int64(facts.permissions))
        binder.add(facts.target)
        binder.add(revision)
        binder.add(Int64(facts.modified.nanoseconds))
        binder.add(facts.changed)
        binder.add(facts.birth)
        binder.add(facts.links)
    }

    /// Puts an item to its place with its facts, also one that was gone.
    func place(
        _ item: CatalogueItem, _ name: [UInt8], in parent: Int64, _ facts: CatalogueItem.Facts
    ) throws -> CatalogueItem {
        try clear(name, in: parent, for: item.number)
        var item = item
        let mayReturn = facts.kind == .folder && (item.isGone || item.parent != parent)
        let wasAway = try mayReturn && (item.isGone || item.parent == CatalogueItem.trash || isBuried(item))
        let isMoved = item.parent != parent || item.name != name
        if facts.hasOtherContents(than: item.facts, isMoved: isMoved) { item.contents = facts.changed }
        if item.parent != parent { item.formerParent = item.parent }
        (item.parent, item.name, item.facts, item.isGone) = (parent, name, facts, false)
        try database.run(
            """
            UPDATE item SET parent = ?, name = ?, inode = ?, size = ?, modified = ?, permissions = ?, target = ?,
            gone = 0, former = ?, revision = ?, fraction = ?, changed = ?, birth = ?, links = ?, contents = ?
            WHERE number = ?
            """, .integer(parent), .bytes(name), .integer(Int64(bitPattern: facts.inode)), .integer(facts.size),
            .integer(facts.modified.seconds), .integer(Int64(facts.permissions)), .bytes(facts.target),
            .integer(item.formerParent), .integer(try nextRevision()), .integer(Int64(facts.modified.nanoseconds)),
            .integer(facts.changed), .integer(facts.birth), .integer(facts.links), .integer(item.contents),
            .integer(item.number))
        if wasAway { try tellAgain(below: item.number) }
        return item
    }

    /// Takes an item out of its place. It is found again should it turn up elsewhere.
    func remove(_ item: CatalogueItem) throws {
        try database.run(
            "UPDATE item SET gone = 1, revision = ? WHERE number = ?", .integer(try nextRevision()),
            .integer(item.number))
    }

    /// Whoever had the place before is elsewhere now, or gone.
    private func clear(_ name: [UInt8], in parent: Int64, for number: Int64) throws {
        if let other = try row(named: name, in: parent), other.number != number { try remove(other) }
    }
}

// MARK: - Places

extension Catalogue {
    /// Opens the served folder as it is now.
    func openRoot(checked: Bool = true) throws -> FileDescriptor {
        let root: FileDescriptor
        do throws(Errno) {
            root = try .open(path, [.readOnly, .directory])
        } catch {
            throw FolderFailure.unavailable("the folder \(path) cannot be opened: \(error)")
        }
        // An unmounted disk leaves an empty folder: nothing of what was on it has been removed. Nor has it where another is mounted.
        if checked, try !isServed(root) {
            throw FolderFailure.unavailable(
                "another folder is at \(path) now: mount the disk of the one that is served, or put that folder back")
        }
        return root
    }

    /// More folders within each other than any path has room for.
    static let mostFolders = 4096

    /// Opens a folder, never through a link.
    func openFolder(_ number: Int64) throws -> FileDescriptor {
        var names: [FileName] = []
        var next = number
        while next != CatalogueItem.root, next != CatalogueItem.trash {
            guard let item = try row(next), !item.isGone, item.facts.kind == .folder, names.count < Self.mostFolders,
                let name = FileName(bytes: item.name)
            else { throw FolderFailure.noSuchItem }
            names.append(name)
            next = item.parent
        }
        var folder = try next == CatalogueItem.trash ? openTrash() : openRoot()
        for name in names.reversed() { folder = try folder.open(entry: name, [.readOnly, .directory]) }
        return folder
    }

    /// Where an item is: its folder and its name there. Not of the root.
    func place(of item: CatalogueItem) throws -> (folder: FileDescriptor, name: FileName) {
        guard !item.isGone, let name = FileName(bytes: item.name) else { throw FolderFailure.noSuchItem }
        return (try openFolder(item.parent), name)
    }

    /// What a name in a folder stands for now; `nil` for what is not served.
    func facts(
        of name: FileName, in folder: FileDescriptor, device: UInt64
    ) throws -> CatalogueItem.Facts? {
        let (status, birth) = try folder.statusAndBirth(of: name)
        let target = status.kind == .symbolicLink ? try folder.target(ofLink: name) : []
        return CatalogueItem.Facts(status, birth: birth, device: device, target: target)
    }

    func facts(of name: FileName, in folder: FileDescriptor) throws -> CatalogueItem.Facts? {
        try facts(of: name, in: folder, device: try openRoot().status().identity.device)
    }
}
