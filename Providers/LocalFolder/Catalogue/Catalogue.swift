import Glibc
import LinuxSystem
import SQLite

/// The items that any scan of a directory has found, with identifiers that stay the same through renames, moves and
/// replacements.
///
/// The file system has no identifiers that an extension may read: a confined process cannot use extended attributes and
/// file handles. Therefore the catalogue records the place and inode of each item, and detects changes at the next
/// scan. It numbers every change, and these numbers are the anchors of the change feed.
///
/// Not thread-safe; ``SharedCatalogue`` serializes its use. Methods block on the file system.
package struct Catalogue {
    let database: Database
    /// The path of the served directory.
    let path: String
    /// A random text that distinguishes this catalogue from an earlier or later one of the same directory, in which the
    /// same numbers denote other items.
    package let stamp: String

    /// The identity of the served directory.
    let identity = Identity()
    /// The temporary files that this process is writing.
    let work = Work()
    let listings = Listings()
    let removals = Removals()

    /// The directories that may have changed since their last scan.
    let watches: FolderWatches

    /// The size of SQLite's cache, in KiB. The inode index of a large directory is written in random order.
    private static let cacheSize = 64 << 10

    /// The maximum number of removed items whose rows are stored.
    private static let mostGone: Int64 = 20_000

    /// Opens the catalogue of a directory, or creates it.
    ///
    /// - Parameters:
    ///   - path: the served directory.
    ///   - store: the catalogue's file. A damaged file is created again. Every item then gets a new identifier.
    ///   - watches: the kernel's watches of the directories.
    init(of path: String, store: String, watches: FolderWatches) throws {
        self.path = path
        self.watches = watches
        do {
            (database, stamp) = try Self.open(store)
        } catch let failure as Database.Failure where failure.isCorrupt {
            for suffix in ["", "-journal"] { unlink(store + suffix) }
            (database, stamp) = try Self.open(store)
        }
        // A full or read-only disk does not prevent serving the directory.
        try? labelEarlierTrash()
        try noteIdentity()
        removeLeftovers()
        try forgetOldest()
    }

    private static func open(_ store: String) throws -> (Database, String) {
        let database = try Database(store)
        // Nothing is flushed to disk. If a crash of the machine loses changes of items, the next scan finds them again.
        try database.execute(
            """
            PRAGMA page_size = 16384; PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = TRUNCATE; PRAGMA synchronous = OFF;
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
            CREATE INDEX IF NOT EXISTS inode ON item (inode);
            CREATE INDEX IF NOT EXISTS news ON item (revision) WHERE revision > 0;
            DROP INDEX IF EXISTS page;
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

    /// Updates an older catalogue, which stores dates only in nanoseconds and does not record ctime, birth time and
    /// links.
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
                // Removes the rows whose parent directory's row was removed.
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

    /// Returns the row of the item with the given number, even if the item was removed.
    func row(_ number: Int64) throws -> CatalogueItem? {
        try database.first(
            "SELECT \(Self.columns) FROM item WHERE number = ?", .integer(number), read: Self.read)
    }

    func row(named name: [UInt8], in parent: Int64) throws -> CatalogueItem? {
        try database.first(
            "SELECT \(Self.columns) FROM item WHERE parent = ? AND name = ? AND gone = 0", .integer(parent),
            .bytes(name), read: Self.read)
    }

    /// Returns the number of the last change.
    func lastRevision() throws -> Int64 {
        // The condition equals that of the index. Both exclude the items of a first listing, because these are no
        // changes.
        try database.first("SELECT MAX(revision) FROM item WHERE revision > 0") { $0.integer(0) } ?? 0
    }

    /// Returns the number of the next change.
    func nextRevision() throws -> Int64 { try lastRevision() + 1 }

    /// Adds a new item.
    ///
    /// - Parameters:
    ///   - isChange: whether the change feed reports the item. It does not report the items of a directory's first
    ///     listing, because the listing returns them.
    ///   - mayBeTaken: whether another item may have the name.
    func insert(
        _ file: FoundFile, in parent: Int64, isChange: Bool = true, mayBeTaken: Bool = true
    ) throws -> CatalogueItem {
        if mayBeTaken { try clear(file.name, in: parent, for: 0) }
        let revision = isChange ? try nextRevision() : 0
        try database.run(Self.oneAddition) { binder in Self.bind(file, parent, revision, to: &binder) }
        return CatalogueItem(
            number: database.lastNumber, parent: parent, name: file.name, facts: file.facts, contents: file.contents)
    }

    /// Adds items that the change feed does not report. No other row may have their names.
    ///
    /// - Parameter files: the files of the items, at most ``mostAdditions``.
    func insert(_ files: ArraySlice<FoundFile>, in parent: Int64) throws -> [CatalogueItem] {
        let text = files.count == Self.mostAdditions ? Self.fullAddition : Self.addition(of: files.count)
        try database.run(text) { binder in
            for file in files { Self.bind(file, parent, 0, to: &binder) }
        }
        // The rows of one statement get consecutive numbers.
        let first = database.lastNumber - Int64(files.count) + 1
        return zip(first..., files).map {
            CatalogueItem(number: $0, parent: parent, name: $1.name, facts: $1.facts, contents: $1.contents)
        }
    }

    /// The maximum number of rows that one statement adds. With this number, adding rows takes half the time of single
    /// insertions.
    static let mostAdditions = 32

    private static let oneAddition = addition(of: 1)
    private static let fullAddition = addition(of: mostAdditions)

    private static func addition(of count: Int) -> String {
        let rows = repeatElement("(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", count: count).joined(separator: ", ")
        return """
            INSERT INTO item (parent, name, kind, inode, size, modified, permissions, target, revision, fraction, changed,
            birth, links, contents) VALUES \(rows)
            """
    }

    /// Binds the values of one row of ``addition(of:)``.
    private static func bind(
        _ file: FoundFile, _ parent: Int64, _ revision: Int64, to binder: inout Database.Binder
    ) {
        let facts = file.facts
        binder.add(parent)
        binder.add(file.name)
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
        binder.add(file.contents)
    }

    /// Sets an item's place and attributes. If the item was removed, it exists again afterwards.
    ///
    /// - Parameter isOwn: whether the provider itself has moved the file, just after it compared the attributes. A
    ///   changed ctime then does not count as a change of the contents.
    func place(
        _ item: CatalogueItem, _ name: [UInt8], in parent: Int64, _ facts: CatalogueItem.Facts, isOwn: Bool = false
    ) throws -> CatalogueItem {
        try clear(name, in: parent, for: item.number)
        var item = item
        let mayReturn = facts.kind == .folder && (item.isGone || item.parent != parent)
        let wasAway = try mayReturn && (item.isGone || item.parent == CatalogueItem.trash || isBuried(item))
        let isMoved = item.parent != parent || item.name != name
        if facts.hasOtherContents(than: item.facts)
            || (facts.isChangedUnseen(since: item.facts) && !isOwn
                && !isExplained(item, name, parent, facts, isMoved: isMoved))
        {
            item.contents = facts.changed
        }
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

    /// Whether a change of name, place or permissions explains a file's new ctime. This is certain only if the kernel
    /// reports all writes to the file and has reported none. Writes through another hard link are not reported for this
    /// name.
    private func isExplained(
        _ item: CatalogueItem, _ name: [UInt8], _ parent: Int64, _ facts: CatalogueItem.Facts, isMoved: Bool
    ) -> Bool {
        guard isMoved || facts.permissions != item.facts.permissions, facts.links == 1, item.facts.links == 1,
            !item.isGone || removals.numbers.contains(item.number)
        else { return false }
        return !watches.mayBeWritten(item.name, in: item.parent) && !watches.mayBeWritten(name, in: parent)
    }

    /// Marks an item as removed. A later scan may find the item in another place.
    func remove(_ item: CatalogueItem) throws {
        removals.add(item.number)
        try database.run(
            "UPDATE item SET gone = 1, revision = ? WHERE number = ?", .integer(try nextRevision()),
            .integer(item.number))
    }

    /// Marks the item with the given name in a directory as removed, unless it is the item with the given number. A
    /// scan may find the removed item in another place.
    private func clear(_ name: [UInt8], in parent: Int64, for number: Int64) throws {
        if let other = try row(named: name, in: parent), other.number != number { try remove(other) }
    }
}

// MARK: - Places

extension Catalogue {
    /// Opens the served directory.
    ///
    /// - Parameter checked: whether to check that the catalogue belongs to the directory that is at the path now.
    func openRoot(checked: Bool = true) throws -> FileDescriptor {
        let root: FileDescriptor
        do throws(Errno) {
            root = try .open(path, [.readOnly, .directory])
        } catch {
            throw FolderError.unavailable("the folder \(path) cannot be opened: \(error)")
        }
        // An unmounted disk leaves an empty directory, and another disk may be mounted at the path. In neither case
        // were items removed.
        if checked, try !isServed(root) {
            throw FolderError.unavailable(
                "another folder is at \(path) now: mount the disk of the one that is served, or put that folder back")
        }
        return root
    }

    /// The maximum depth of directories. A path cannot be deeper.
    static let mostFolders = 4096

    /// Opens a directory, never through a symbolic link.
    func openFolder(_ number: Int64) throws -> FileDescriptor {
        var names: [FileName] = []
        var next = number
        while next != CatalogueItem.root, next != CatalogueItem.trash {
            guard let item = try row(next), !item.isGone, item.facts.kind == .folder, names.count < Self.mostFolders,
                let name = FileName(bytes: item.name)
            else { throw FolderError.noSuchItem }
            names.append(name)
            next = item.parent
        }
        var folder = try next == CatalogueItem.trash ? openTrash() : openRoot()
        for name in names.reversed() { folder = try folder.open(entry: name, [.readOnly, .directory]) }
        return folder
    }

    /// Opens the directory of an item, and returns it with the item's name. The root has no name.
    func place(of item: CatalogueItem) throws -> (folder: FileDescriptor, name: FileName) {
        guard !item.isGone, let name = FileName(bytes: item.name) else { throw FolderError.noSuchItem }
        return (try openFolder(item.parent), name)
    }

    /// Returns the current attributes of the file with the given name in a directory, or `nil` if files of its kind are
    /// not served.
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
