import Foundation
import SQLite
import WebDAVClient

/// Records the server's replies.
extension ServerCatalogue {
    /// Returns the number of a listing or change that begins. A stale reply has a lower number than the record of the
    /// item, and does not overwrite the record.
    func beginRound() throws -> Int64 { try next("round") }

    /// Records an entry of a folder.
    ///
    /// - Returns: the item, and whether it was not in this place before.
    package func note(
        _ observed: ObservedItem, in parent: Int64, round: Int64
    ) throws -> (item: CataloguedItem, isNew: Bool) {
        if let known = try child(of: parent, named: observed.name) {
            let isAnother =
                known.isFolder != observed.isFolder
                || (known.traits.identity != nil && observed.traits.identity != nil
                    && known.traits.identity != observed.traits.identity)
            if !isAnother {
                if known.round > round { return (known, false) }
                return (try update(known, observed, in: parent, round: round), false)
            }
            if try isKept(known) {
                try setAside(known)
            } else {
                // The known item may have moved to another folder, whose listing then finds it by its identity.
                try remove(known)
            }
        }
        if let identity = observed.traits.identity, let moved = try item(identity: identity),
            moved.isFolder == observed.isFolder, moved.round <= round, moved.number != CataloguedItem.root,
            try !isWithin(parent, moved.number), try !isKept(moved)
        {
            return (try update(moved, observed, in: parent, round: round), true)
        }
        return (try add(observed, in: parent, round: round), true)
    }

    /// Records that the server has the items with these names, although the user may not see them.
    ///
    /// - Returns: the numbers of the items that are in the catalogue.
    func note(forbidden names: [String], in folder: Int64, round: Int64) throws -> [Int64] {
        try names.compactMap { name in
            guard let known = try child(of: folder, named: name) else { return nil }
            try database.run(
                "UPDATE item SET round = max(round, ?) WHERE number = ?", .integer(round), .integer(known.number))
            return known.number
        }
    }

    /// Records an entry as the new state of a known item, after a change by this program. The record gets a new number
    /// from ``beginRound()``, so that the reply to a listing that began before the change is stale. If a listing has
    /// meanwhile recorded the item in its new place as another item, removes that record.
    func noteChanged(
        _ known: CataloguedItem, _ observed: ObservedItem, in parent: Int64
    ) throws -> CataloguedItem {
        let round = try beginRound()
        if let other = try child(of: parent, named: observed.name), other.number != known.number { try remove(other) }
        return try update(known, observed, in: parent, round: round)
    }

    /// Records an entry as the new state of a known item, which may have moved.
    func update(
        _ known: CataloguedItem, _ observed: ObservedItem, in parent: Int64, round: Int64
    ) throws -> CataloguedItem {
        var item = observed.item(known.number, in: parent, round: round)
        if known.number == CataloguedItem.root { (item.parent, item.name) = (known.parent, known.name) }
        item.told = known.told
        let change = known.isSame(as: item) ? nil : try next("change")
        try database.run(
            """
            UPDATE item SET parent = ?, name = ?, tag = ?, length = ?, modified = ?, traits = ?, identity = ?,
                round = ?, change = coalesce(?, change) WHERE number = ?
            """, .integer(item.parent), .text(item.name), .optional(item.version.tag),
            .optional(item.version.length.map { Int64($0) }), .optional(item.version.modified),
            .bytes(try Self.bytes(item.traits)), .optional(item.traits.identity), .integer(round), .optional(change),
            .integer(item.number))
        return item
    }

    private func add(_ observed: ObservedItem, in parent: Int64, round: Int64) throws -> CataloguedItem {
        let version = observed.version
        // An item that disappeared from one folder and appears in another one later gets its former number.
        let former = try observed.traits.identity.flatMap { try removedItem(withIdentity: $0) }
        if let former { try database.run("DELETE FROM gone WHERE number = ?", .integer(former)) }
        try database.run(
            """
            INSERT INTO item (number, parent, name, is_folder, tag, length, modified, traits, identity, round, change)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """, .optional(former), .integer(parent), .text(observed.name), .integer(observed.isFolder ? 1 : 0),
            .optional(version.tag), .optional(version.length.map { Int64($0) }), .optional(version.modified),
            .bytes(try Self.bytes(observed.traits)), .optional(observed.traits.identity), .integer(round),
            .integer(try next("change")))
        return observed.item(former ?? database.lastNumber, in: parent, round: round)
    }

    /// Returns the number of a removed item with an identity.
    func removedItem(withIdentity identity: String) throws -> Int64? {
        try database.first("SELECT number FROM gone WHERE identity = ?", .text(identity)) { $0.integer(0) }
    }

    /// Returns traits in the form in which they are stored. Empty traits are not encoded each time, because all items
    /// of plain servers have them.
    static func bytes(_ traits: DAVTraits) throws -> [UInt8] {
        traits == DAVTraits() ? noTraits : [UInt8](try JSONEncoder().encode(traits))
    }

    static let noTraits = Array("{}".utf8)

    /// Whether a folder is the item with the given number, or lies within it.
    func isWithin(_ folder: Int64, _ number: Int64) throws -> Bool {
        var current = folder
        for _ in 0..<4096 {
            if current == number { return true }
            guard current != CataloguedItem.root, let item = try item(current) else { return false }
            current = item.parent
        }
        return true
    }

    // MARK: Removal

    /// Removes an item, and everything in it.
    ///
    /// - Parameter isTold: whether the change feed reports the removal.
    package func remove(_ item: CataloguedItem, isTold: Bool = true) throws {
        guard item.number != CataloguedItem.root else { return }
        if isTold {
            try database.run(
                "INSERT OR REPLACE INTO gone VALUES (?, ?, ?, ?)", .integer(item.number), .integer(item.parent),
                .optional(item.traits.identity), .integer(try next("change")))
        }
        try forget(item)
    }

    private func forget(_ item: CataloguedItem) throws {
        var rest = [item]
        while let item = rest.popLast() {
            if item.isFolder {
                rest += try children(of: item.number)
                try forgetMislisted(in: item.number, except: [])
            }
            for table in ["item", "folder", "digest"] {
                try database.run("DELETE FROM \(table) WHERE number = ?", .integer(item.number))
            }
        }
    }

    /// Returns the items of a folder that a complete listing lacks and that count as removed. Excludes items that are
    /// retained because the server was restored from a backup, and items that an exchange may have renamed temporarily.
    package func unseen(in folder: Int64, round: Int64) throws -> [CataloguedItem] {
        try children(of: folder, seenBefore: round).filter { try !isKept($0) && !mayBeAside($0) }
    }

    /// Drops the records of the oldest removals. Sync anchors from before these removals expire.
    func forgetOldestGone() throws {
        guard let count = try database.first("SELECT count(*) FROM gone", read: { $0.integer(0) }),
            count > Self.mostGone,
            let oldest = try database.first(
                "SELECT change FROM gone ORDER BY change LIMIT 1 OFFSET ?", .integer(count - Self.mostGone),
                read: { $0.integer(0) })
        else { return }
        try database.run("DELETE FROM gone WHERE change < ?", .integer(oldest))
        try set(Array("\(oldest)".utf8), for: "oldest")
    }
}
