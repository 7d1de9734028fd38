import FileProvider
import LinuxSystem

/// What is known of a copy in the document storage. It is written down before the copy has its name, so that every process that is
/// started later knows it too.
struct StoredCopy: Sendable {
    /// The contents of the folder's file that the copy has, or its edit began with; empty where nobody knows.
    var version: [UInt8]
    /// How the copy was when the folder had the same. A file that is not like that has an edit that the folder does not have. Empty
    /// since an edit was told.
    var moment: [UInt8]
    /// How many edits were told.
    var edits: Int64 = 0
}

extension Catalogue {
    static let copiesTable = """
        CREATE TABLE IF NOT EXISTS copy (
            identifier BLOB NOT NULL, name BLOB NOT NULL, version BLOB NOT NULL, moment BLOB NOT NULL,
            edits INTEGER NOT NULL DEFAULT 0, PRIMARY KEY (identifier, name)) WITHOUT ROWID;
        """

    private func key(_ text: String) -> Database.Value { .bytes(Array(text.utf8)) }

    func copy(of identifier: String, named name: String) throws -> StoredCopy? {
        try database.first(
            "SELECT version, moment, edits FROM copy WHERE identifier = ? AND name = ?", key(identifier), key(name)
        ) { StoredCopy(version: $0.bytes(0), moment: $0.bytes(1), edits: $0.integer(2)) }
    }

    /// Takes note of a copy, instead of what was known of its place.
    func noteCopy(of identifier: String, named name: String, version: [UInt8], moment: [UInt8]) throws {
        try database.run(
            "INSERT OR REPLACE INTO copy (identifier, name, version, moment) VALUES (?, ?, ?, ?)", key(identifier),
            key(name), .bytes(version), .bytes(moment))
    }

    /// Notes that a copy has got its name since it was noted, and was not written to.
    func noteNamed(of identifier: String, named name: String, _ now: FileMoment) throws {
        try database.run(
            "UPDATE copy SET moment = ? WHERE identifier = ? AND name = ? AND moment = ?", .bytes(now.bytes),
            key(identifier), key(name), .bytes(now.bytesBeforeNaming))
    }

    /// Takes note of an edit: until ``noteSent(of:named:_:)`` the folder does not have it. What was written where there was no copy
    /// is meant to replace what the item was last known to have.
    ///
    /// - Parameter isOfLatest: whether that is so also where there was one.
    func noteEdit(of identifier: String, named name: String, isOfLatest: Bool = false) throws {
        let version = try number(of: identifier).flatMap { try row($0) }?.contentVersion ?? []
        try database.run(
            """
            INSERT INTO copy (identifier, name, version, moment, edits) VALUES (?, ?, ?, x'', 1)
            ON CONFLICT DO UPDATE SET moment = x'', edits = edits + 1\(isOfLatest ? ", version = excluded.version" : "")
            """, key(identifier), key(name), .bytes(version))
    }

    /// Takes note of a file that the system may have put there, and was not told of: it is of no version, and no edit of a program.
    func noteReplacement(of identifier: String, named name: String, _ now: FileMoment) throws {
        if let copy = try copy(of: identifier, named: name), copy.moment.isEmpty || now.isSameFile(as: copy.moment) {
            return
        }
        try noteCopy(of: identifier, named: name, version: [], moment: now.bytes)
    }

    /// Takes note of a file of which nothing is known: an edit, of nobody knows what.
    func noteUnknown(of identifier: String, named name: String) throws {
        try database.run(
            "INSERT OR IGNORE INTO copy (identifier, name, version, moment, edits) VALUES (?, ?, x'', x'', 1)",
            key(identifier), key(name))
    }

    /// The names of an item's copies whose edits were told, and are not in the folder.
    func toldEdits(of identifier: String) throws -> [String] {
        try database.all("SELECT name FROM copy WHERE identifier = ? AND moment = x''", key(identifier)) {
            String(decoding: $0.bytes(0), as: UTF8.self)
        }
    }

    /// The folder has an edit. One that was told since this was read stays noted: it begins with what the folder has now.
    func noteSent(of identifier: String, named name: String, _ sent: StoredCopy) throws {
        try database.run(
            """
            INSERT INTO copy (identifier, name, version, moment, edits) VALUES (?, ?, ?, ?, ?)
            ON CONFLICT DO UPDATE SET version = excluded.version,
            moment = CASE WHEN edits = excluded.edits THEN excluded.moment ELSE x'' END
            """, key(identifier), key(name), .bytes(sent.version), .bytes(sent.moment), .integer(sent.edits))
    }

    /// The copies of an item are removed.
    func forgetCopies(of identifier: String) throws {
        try database.run("DELETE FROM copy WHERE identifier = ?", key(identifier))
    }
}
