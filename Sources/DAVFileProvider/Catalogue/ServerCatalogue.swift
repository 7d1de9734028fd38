import Foundation
import Glibc
import HTTPTransport
import SQLite
import WebDAVClient

/// The items that the server has reported, with numbers that stay the same through renames and moves.
///
/// WebDAV has no identifiers, so the catalogue records each item's place and version. It numbers every change, and
/// these numbers are the sync anchors of the change feed. Each reply is written to the catalogue before the system
/// receives it.
///
/// Not thread-safe; ``SharedServerCatalogue`` serializes its use. Functions block on the disk.
package struct ServerCatalogue {
    let database: Database
    /// A random text that identifies this catalogue. If the catalogue is lost, the new catalogue has another text,
    /// because it assigns the same numbers to other items.
    package let stamp: String

    /// The maximum number of removed items whose removals are recorded.
    static let mostGone: Int64 = 20_000

    /// Opens a catalogue, or creates it. Replaces a damaged catalogue. In that case every item gets a new identifier,
    /// and the system lists everything again.
    package init(_ path: String) throws {
        do {
            (database, stamp) = try Self.open(path)
        } catch let failure as Database.Failure where failure.isCorrupt {
            for suffix in ["", "-wal", "-shm", "-journal"] { unlink(path + suffix) }
            (database, stamp) = try Self.open(path)
        }
    }

    private static func open(_ path: String) throws -> (Database, String) {
        let database = try Database(path)
        // A power failure may lose the last changes, but the database stays consistent. The next listings find the lost
        // changes again.
        try database.execute(
            """
            PRAGMA journal_mode = WAL;
            PRAGMA synchronous = NORMAL;
            CREATE TABLE IF NOT EXISTS item (
                number INTEGER PRIMARY KEY AUTOINCREMENT, parent INTEGER NOT NULL, name BLOB NOT NULL,
                is_folder INTEGER NOT NULL, tag BLOB, length INTEGER, modified INTEGER, traits BLOB NOT NULL,
                identity BLOB, told BLOB, round INTEGER NOT NULL, change INTEGER NOT NULL);
            CREATE UNIQUE INDEX IF NOT EXISTS item_place ON item (parent, name);
            CREATE INDEX IF NOT EXISTS item_change ON item (change);
            CREATE INDEX IF NOT EXISTS item_identity ON item (identity) WHERE identity IS NOT NULL;
            CREATE TABLE IF NOT EXISTS gone (
                number INTEGER PRIMARY KEY, parent INTEGER NOT NULL, identity BLOB, change INTEGER NOT NULL);
            CREATE INDEX IF NOT EXISTS gone_change ON gone (change);
            CREATE INDEX IF NOT EXISTS gone_identity ON gone (identity) WHERE identity IS NOT NULL;
            CREATE TABLE IF NOT EXISTS folder (
                number INTEGER PRIMARY KEY, tag BLOB, due INTEGER NOT NULL, pause INTEGER NOT NULL,
                in_use INTEGER NOT NULL);
            CREATE INDEX IF NOT EXISTS folder_due ON folder (due);
            CREATE TABLE IF NOT EXISTS digest (number INTEGER PRIMARY KEY, version BLOB NOT NULL, digest BLOB NOT NULL);
            CREATE TABLE IF NOT EXISTS creation (
                template BLOB PRIMARY KEY, parent INTEGER NOT NULL, name BLOB NOT NULL, number INTEGER);
            CREATE TABLE IF NOT EXISTS state (key BLOB PRIMARY KEY, value BLOB NOT NULL);
            """ + exchangeTable + mislistedTable)
        let stamp = try database.transaction {
            if let known = try database.first(
                "SELECT value FROM state WHERE key = ?", .text("stamp"), read: { $0.text(0) })
            {
                return known
            }
            let made = String(UInt32.random(in: .min ... .max), radix: 36)
            try database.run("INSERT INTO state VALUES (?, ?)", .text("stamp"), .text(made))
            try database.run(
                """
                INSERT INTO item (number, parent, name, is_folder, traits, round, change)
                VALUES (1, 1, x'', 1, x'7b7d', 0, 0)
                """)
            return made
        }
        return (database, stamp)
    }

    // MARK: State

    func value(_ key: String) throws -> [UInt8]? {
        try database.first("SELECT value FROM state WHERE key = ?", .text(key)) { $0.bytes(0) }
    }

    func set(_ value: [UInt8]?, for key: String) throws {
        if let value {
            try database.run("INSERT OR REPLACE INTO state VALUES (?, ?)", .text(key), .bytes(value))
        } else {
            try database.run("DELETE FROM state WHERE key = ?", .text(key))
        }
    }

    /// Returns the next number of a sequence.
    func next(_ sequence: String) throws -> Int64 {
        let number = (try value(sequence).flatMap { Int64(String(decoding: $0, as: UTF8.self)) } ?? 0) + 1
        try set(Array("\(number)".utf8), for: sequence)
        return number
    }

    func last(_ sequence: String) throws -> Int64 {
        try value(sequence).flatMap { Int64(String(decoding: $0, as: UTF8.self)) } ?? 0
    }

    // MARK: Items

    private static let columns = "number, parent, name, is_folder, tag, length, modified, traits, told, round"

    package func item(_ number: Int64) throws -> CataloguedItem? {
        try database.first("SELECT \(Self.columns) FROM item WHERE number = ?", .integer(number), read: Self.read)
    }

    package func child(of parent: Int64, named name: String) throws -> CataloguedItem? {
        // The root is its own parent, with an empty name.
        if name.isEmpty { return nil }
        return try database.first(
            "SELECT \(Self.columns) FROM item WHERE parent = ? AND name = ?", .integer(parent), .text(name),
            read: Self.read)
    }

    /// Returns the item with the given identity. After the server was restored from a backup, several items may have
    /// this identity. In that case, returns the item that the server reported last.
    func item(identity: String) throws -> CataloguedItem? {
        try database.first(
            "SELECT \(Self.columns) FROM item WHERE identity = ? ORDER BY round DESC LIMIT 1", .text(identity),
            read: Self.read)
    }

    /// Returns the items of a folder that the server last reported before the listing with the number `round`. By
    /// default, returns all items of the folder.
    func children(of parent: Int64, seenBefore round: Int64 = .max) throws -> [CataloguedItem] {
        try database.all(
            "SELECT \(Self.columns) FROM item WHERE parent = ? AND number <> 1 AND round < ?", .integer(parent),
            .integer(round), read: Self.read)
    }

    /// Returns the numbers of the folders in a folder.
    func folders(in parent: Int64) throws -> [Int64] {
        try database.all(
            "SELECT number FROM item WHERE parent = ? AND number <> 1 AND is_folder = 1", .integer(parent)
        ) { $0.integer(0) }
    }

    /// Returns the items that were changed after the change with the given number, the oldest change first.
    func items(changedSince change: Int64, limit: Int) throws -> [(item: CataloguedItem, change: Int64)] {
        try database.all(
            "SELECT \(Self.columns), change FROM item WHERE change > ? ORDER BY change LIMIT ?", .integer(change),
            .integer(Int64(limit))
        ) { (Self.read($0), $0.integer(10)) }
    }

    static func read(_ row: Database.Row) -> CataloguedItem {
        let stored = row.bytes(7)
        // Damaged traits are read as none. The next listing replaces them.
        let traits = stored == noTraits ? nil : try? JSONDecoder().decode(DAVTraits.self, from: Data(stored))
        let version = DAVVersion(
            tag: row.isNull(4) ? nil : DAVEntityTag(opaque: row.text(4)),
            length: row.isNull(5) ? nil : Int(row.integer(5)),
            modified: row.isNull(6) ? nil : HTTPDate(seconds: row.integer(6)))
        return CataloguedItem(
            number: row.integer(0), parent: row.integer(1), name: row.text(2), isFolder: row.integer(3) != 0,
            version: version, traits: traits ?? DAVTraits(), told: row.isNull(8) ? nil : row.text(8),
            round: row.integer(9))
    }

    /// Returns the names from the root to an item; `nil` if the item is not in the tree any more.
    package func names(to number: Int64) throws -> [String]? {
        var names: [String] = []
        var current = number
        while current != CataloguedItem.root {
            // In a damaged catalogue, a folder may contain itself.
            guard let item = try item(current), names.count < 4096 else { return nil }
            names.append(item.name)
            current = item.parent
        }
        return names.reversed()
    }
}

extension Database.Value {
    static func text(_ text: String) -> Self { .bytes(Array(text.utf8)) }

    static func optional(_ text: String?) -> Self { text.map { .text($0) } ?? .null }

    static func optional(_ number: Int64?) -> Self { number.map { .integer($0) } ?? .null }
}

extension Database.Row {
    func text(_ column: Int32) -> String { String(decoding: bytes(column), as: UTF8.self) }
}
