import SQLite

/// Changes since a sync anchor.
package struct FoundChanges: Sendable {
    package var updated: [CataloguedItem] = []
    package var deleted: [Int64] = []
    package var anchor: Int64
    package var isComplete = true
}

/// A folder whose check for changes is due.
package struct DueFolder: Sendable {
    package let number: Int64
    /// The seconds between the folder's last two checks.
    let pause: Int64
    /// Whether the folder contains local items.
    let isInUse: Bool
}

extension ServerCatalogue {
    /// Returns changes after the change with the given number: at most `limit` updated items and at most `limit`
    /// removed ones.
    ///
    /// - Parameter folder: the folder to whose direct children the changes are limited; `nil` for all items.
    /// - Returns: `nil` if the catalogue has dropped some of the changes.
    package func changes(since change: Int64, in folder: Int64?, limit: Int) throws -> FoundChanges? {
        let (oldest, newest) = (try last("oldest"), try last("change"))
        guard change >= oldest, change <= newest else { return nil }
        let items = try items(changedSince: change, limit: limit)
        let gone = try database.all(
            "SELECT number, parent, change FROM gone WHERE change > ? ORDER BY change LIMIT ?", .integer(change),
            .integer(Int64(limit))
        ) { (number: $0.integer(0), parent: $0.integer(1), change: $0.integer(2)) }
        var changes = FoundChanges(anchor: newest)
        if items.count == limit || gone.count == limit {
            // A list that reached the limit may lack later changes, so the reply ends where that list ends.
            let ends = [items.count == limit ? items.last?.change : nil, gone.count == limit ? gone.last?.change : nil]
            changes.anchor = ends.compactMap { $0 }.min() ?? newest
            changes.isComplete = false
        }
        changes.updated = items.filter { $0.change <= changes.anchor }.map(\.item)
            .filter { folder == nil || $0.parent == folder }
        changes.deleted = gone.filter { $0.change <= changes.anchor }
            .filter { folder == nil || $0.parent == folder }.map(\.number)
        try note(told: changes.updated)
        return changes
    }

    /// Records that the system is about to receive the given items in their current versions.
    func note(told items: [CataloguedItem]) throws {
        for item in items where item.told != item.contentVersion && !item.isFolder {
            try database.run(
                "UPDATE item SET told = ? WHERE number = ?", .text(item.contentVersion), .integer(item.number))
        }
    }

    // MARK: Folders in use

    /// Records a complete listing of a folder.
    ///
    /// - Parameters:
    ///   - tag: the folder's own tag when it was listed.
    ///   - due: the time of the next check, in seconds since 1970.
    ///   - pause: the seconds between this listing and the next check.
    package func noteListed(_ folder: Int64, tag: String?, due: Int64, pause: Int64) throws {
        try database.run(
            """
            INSERT INTO folder VALUES (?, ?, ?, ?, 0)
            ON CONFLICT (number) DO UPDATE SET tag = excluded.tag, due = excluded.due, pause = excluded.pause
            """, .integer(folder), .optional(tag), .integer(due), .integer(pause))
        try requireCheckedFolders(in: folder)
    }

    /// Drops the tag of a folder's last listing if the tag of one of its subfolders has changed since the subfolder was
    /// listed. The next search from the root down then descends into that subfolder. Ignores subfolders that the server
    /// lacks since it was restored from a backup.
    func requireCheckedFolders(in folder: Int64) throws {
        try database.run(
            """
            UPDATE folder SET tag = NULL WHERE number = ? AND EXISTS (
                SELECT 1 FROM item JOIN folder AS inner ON inner.number = item.number
                WHERE item.parent = ? AND item.number <> 1 AND inner.tag IS NOT item.tag AND item.round >= ?)
            """, .integer(folder), .integer(folder), .integer(try last(Self.restoredKey)))
    }

    /// Returns the tag that a folder had when it was listed last; `nil` if the folder was never listed, or had no tag.
    func listedTag(_ folder: Int64) throws -> String? {
        let found = try database.first("SELECT tag FROM folder WHERE number = ?", .integer(folder)) {
            $0.isNull(0) ? nil : $0.text(0)
        }
        return found ?? nil
    }

    func isListed(_ folder: Int64) throws -> Bool {
        try database.first("SELECT 1 FROM folder WHERE number = ?", .integer(folder)) { _ in true } ?? false
    }

    /// Returns the folders whose check is due, the longest overdue first. A check that is planned for more than a day
    /// ahead counts as due, because the clock must have been set back after the check was planned.
    package func dueFolders(_ now: Int64, limit: Int) throws -> [DueFolder] {
        try database.all(
            """
            SELECT number, pause, in_use FROM folder WHERE due <= ?1 OR due > ?1 + \(Self.longestPause)
            ORDER BY due LIMIT ?2
            """, .integer(now), .integer(Int64(limit)), read: Self.dueFolder)
    }

    /// Returns the folders in use whose check is due and whose stored traits contain the given text, the longest
    /// overdue first.
    func dueFolders(_ now: Int64, inUseWith text: String) throws -> [DueFolder] {
        try database.all(
            """
            SELECT folder.number, pause, in_use FROM folder JOIN item ON item.number = folder.number
            WHERE in_use = 1 AND instr(traits, ?2) > 0 AND (due <= ?1 OR due > ?1 + \(Self.longestPause))
            ORDER BY due
            """, .integer(now), .text(text), read: Self.dueFolder)
    }

    private static func dueFolder(_ row: Database.Row) -> DueFolder {
        DueFolder(number: row.integer(0), pause: row.integer(1), isInUse: row.integer(2) != 0)
    }

    /// The longest time between two checks of a folder, in seconds.
    static let longestPause: Int64 = 86_400

    /// Schedules a check at `now` for each folder that is in use, or that is checked at intervals of less than
    /// `longest` seconds.
    func makeActiveDue(_ now: Int64, _ longest: Int64) throws {
        try database.run(
            "UPDATE folder SET due = min(due, ?) WHERE in_use = 1 OR pause < ?", .integer(now), .integer(longest))
    }

    func nextDue() throws -> Int64? {
        try database.first("SELECT due FROM folder ORDER BY due LIMIT 1") { $0.integer(0) }
    }

    /// Records which folders contain local items.
    func noteInUse(_ folders: Set<Int64>) throws {
        try database.run("UPDATE folder SET in_use = 0")
        for folder in folders { try database.run("UPDATE folder SET in_use = 1 WHERE number = ?", .integer(folder)) }
    }

    // MARK: Digests and creations

    /// Records the digest of a file's contents, because files with other contents may have the same version.
    func note(digest: [UInt8]?, of number: Int64, version: String) throws {
        guard let digest else {
            return try database.run("DELETE FROM digest WHERE number = ?", .integer(number))
        }
        try database.run(
            "INSERT OR REPLACE INTO digest VALUES (?, ?, ?)", .integer(number), .text(version), .bytes(digest))
    }

    func digest(of number: Int64, version: String) throws -> [UInt8]? {
        try database.first(
            "SELECT digest FROM digest WHERE number = ? AND version = ?", .integer(number), .text(version)
        ) { $0.bytes(0) }
    }

    /// Records an item that is about to be created.
    func noteCreation(_ template: String, in parent: Int64, named name: String) throws {
        try database.run(
            "INSERT OR REPLACE INTO creation VALUES (?, ?, ?, NULL)", .text(template), .integer(parent), .text(name))
    }

    /// Records that an item was created.
    func noteCreated(_ template: String, _ number: Int64) throws {
        try database.run("UPDATE creation SET number = ? WHERE template = ?", .integer(number), .text(template))
        // Older records are not needed, because the system repeats only its latest requests.
        try database.run(
            "DELETE FROM creation WHERE rowid <= (SELECT max(rowid) FROM creation) - 10000")
    }

    /// Returns the record of an earlier attempt to create an item; `nil` if there was none.
    func creation(_ template: String) throws -> (parent: Int64, name: String, number: Int64?)? {
        try database.first(
            "SELECT parent, name, number FROM creation WHERE template = ?", .text(template)
        ) { ($0.integer(0), $0.text(1), $0.isNull(2) ? nil : $0.integer(2)) }
    }
}
