import FileProvider
import LinuxSystem

/// The record of a copy in the document storage. It is written before the copy has its name, so that every process
/// that is started later has it too.
struct StoredCopy: Sendable {
    /// The version of the served file's contents that the copy has, or that its edit is based on; empty if unknown.
    var version: [UInt8]
    /// The copy's status when the served file had the same contents. A copy that differs from it has an edit that the
    /// served file does not have. Empty since an edit was reported.
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

    /// Records a copy, in place of an earlier record of the same name.
    func noteCopy(of identifier: String, named name: String, version: [UInt8], moment: [UInt8]) throws {
        try database.run(
            "INSERT OR REPLACE INTO copy (identifier, name, version, moment) VALUES (?, ?, ?, ?)", key(identifier),
            key(name), .bytes(version), .bytes(moment))
    }

    /// Records that a copy has its name and was not written to since ``noteCopy(of:named:version:moment:)``.
    func noteNamed(of identifier: String, named name: String, _ now: FileMoment) throws {
        try database.run(
            "UPDATE copy SET moment = ? WHERE identifier = ? AND name = ? AND moment = ?", .bytes(now.bytes),
            key(identifier), key(name), .bytes(now.bytesBeforeNaming))
    }

    /// Records an edit that the served file does not have until ``noteSent(of:named:_:)``. An edit without a recorded
    /// copy is taken to be based on the version that the item was last known to have.
    ///
    /// - Parameter isOfLatest: whether an edit of a recorded copy is taken to be based on that version, too.
    func noteEdit(of identifier: String, named name: String, isOfLatest: Bool = false) throws {
        let version = try number(of: identifier).flatMap { try row($0) }?.contentVersion ?? []
        try database.run(
            """
            INSERT INTO copy (identifier, name, version, moment, edits) VALUES (?, ?, ?, x'', 1)
            ON CONFLICT DO UPDATE SET moment = x'', edits = edits + 1\(isOfLatest ? ", version = excluded.version" : "")
            """, key(identifier), key(name), .bytes(version))
    }

    /// Records a file that the system may have put into the storage without a report. It is of no version, and no
    /// client's edit.
    func noteReplacement(of identifier: String, named name: String, _ now: FileMoment) throws {
        if let copy = try copy(of: identifier, named: name), copy.moment.isEmpty || now.isSameFile(as: copy.moment) {
            return
        }
        try noteCopy(of: identifier, named: name, version: [], moment: now.bytes)
    }

    /// Records an unknown file as an edit of an unknown version.
    func noteUnknown(of identifier: String, named name: String) throws {
        try database.run(
            "INSERT OR IGNORE INTO copy (identifier, name, version, moment, edits) VALUES (?, ?, x'', x'', 1)",
            key(identifier), key(name))
    }

    /// Returns the names of an item's copies that were reported as edited and are not in the served directory.
    func toldEdits(of identifier: String) throws -> [String] {
        try database.all("SELECT name FROM copy WHERE identifier = ? AND moment = x''", key(identifier)) {
            String(decoding: $0.bytes(0), as: UTF8.self)
        }
    }

    /// Records that the served file has an edit. An edit that was reported after `sent` was read stays recorded, and
    /// is based on what the served file has now.
    func noteSent(of identifier: String, named name: String, _ sent: StoredCopy) throws {
        try database.run(
            """
            INSERT INTO copy (identifier, name, version, moment, edits) VALUES (?, ?, ?, ?, ?)
            ON CONFLICT DO UPDATE SET version = excluded.version,
            moment = CASE WHEN edits = excluded.edits THEN excluded.moment ELSE x'' END
            """, key(identifier), key(name), .bytes(sent.version), .bytes(sent.moment), .integer(sent.edits))
    }

    /// Forgets the copies of an item, which are removed.
    func forgetCopies(of identifier: String) throws {
        try database.run("DELETE FROM copy WHERE identifier = ?", key(identifier))
    }
}
