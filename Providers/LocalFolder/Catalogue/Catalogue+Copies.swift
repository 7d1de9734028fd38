import FileProvider
import FileProviderWire
import LinuxSystem
import SQLite

/// The record of a copy in the document storage. It is written before the copy gets its name, so that a process that
/// starts later finds the record of every copy.
struct StoredCopy: Sendable {
    /// The version of the served file's contents that the copy has, or on which its edit is based; empty if the version
    /// is unknown.
    var version: [UInt8]
    /// The copy's ``FileMoment`` (size, dates and inode) when the served file had the same contents. If the copy's
    /// current status differs, the copy has an edit that the served file does not have. Empty after an edit was
    /// reported.
    var moment: [UInt8]
    /// The number of edits that were reported.
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

    /// Records a copy. Replaces an earlier record with the same name.
    func noteCopy(of identifier: String, named name: String, version: [UInt8], moment: [UInt8]) throws {
        try database.run(
            "INSERT OR REPLACE INTO copy (identifier, name, version, moment) VALUES (?, ?, ?, ?)", key(identifier),
            key(name), .bytes(version), .bytes(moment))
    }

    /// Records that a copy has its name, if no program has written to the copy since
    /// ``noteCopy(of:named:version:moment:)``.
    func noteNamed(of identifier: String, named name: String, _ now: FileMoment) throws {
        try database.run(
            "UPDATE copy SET moment = ? WHERE identifier = ? AND name = ? AND moment = ?", .bytes(now.bytes),
            key(identifier), key(name), .bytes(now.bytesBeforeNaming))
    }

    /// Records that a copy has an edit that the served file does not have, until ``noteSent(of:named:_:)``. If the copy
    /// has no record, the edit counts as based on the item's last known version.
    ///
    /// - Parameter isOfLatest: whether the edit counts as based on the last known version even if the copy has a
    ///   record.
    func noteEdit(of identifier: String, named name: String, isOfLatest: Bool = false) throws {
        let version = try number(of: identifier).flatMap { try row($0) }?.contentVersion ?? []
        try database.run(
            """
            INSERT INTO copy (identifier, name, version, moment, edits) VALUES (?, ?, ?, x'', 1)
            ON CONFLICT DO UPDATE SET moment = x'', edits = edits + 1\(isOfLatest ? ", version = excluded.version" : "")
            """, key(identifier), key(name), .bytes(version))
    }

    /// Records a file that the system may have put into the storage without reporting it. The version of the file is
    /// unknown, and the file does not count as an edit by a client.
    func noteReplacement(of identifier: String, named name: String, _ now: FileMoment) throws {
        if let copy = try copy(of: identifier, named: name), copy.moment.isEmpty || now.isSameFile(as: copy.moment) {
            return
        }
        try noteCopy(of: identifier, named: name, version: [], moment: now.bytes)
    }

    /// Records an unknown file as an edit that is based on an unknown version.
    func noteUnknown(of identifier: String, named name: String) throws {
        try database.run(
            "INSERT OR IGNORE INTO copy (identifier, name, version, moment, edits) VALUES (?, ?, x'', x'', 1)",
            key(identifier), key(name))
    }

    /// Returns the names of those copies of an item that were reported as edited and whose edits are not in the served
    /// directory.
    func toldEdits(of identifier: String) throws -> [String] {
        try database.all("SELECT name FROM copy WHERE identifier = ? AND moment = x''", key(identifier)) {
            String(decoding: $0.bytes(0), as: UTF8.self)
        }
    }

    /// Records that the served file has the contents of a copy. If a further edit was reported after `sent` was read,
    /// that edit stays recorded, and is based on the served file's current version.
    func noteSent(of identifier: String, named name: String, _ sent: StoredCopy) throws {
        try database.run(
            """
            INSERT INTO copy (identifier, name, version, moment, edits) VALUES (?, ?, ?, ?, ?)
            ON CONFLICT DO UPDATE SET version = excluded.version,
            moment = CASE WHEN edits = excluded.edits THEN excluded.moment ELSE x'' END
            """, key(identifier), key(name), .bytes(sent.version), .bytes(sent.moment), .integer(sent.edits))
    }

    /// Removes the records of an item's copies after the copies were removed.
    func forgetCopies(of identifier: String) throws {
        try database.run("DELETE FROM copy WHERE identifier = ?", key(identifier))
    }
}
