import FileProvider
import SQLite

/// Retains the catalogue's items that are missing at a server because the server was restored from a backup.
extension ServerCatalogue {
    private static let markKey = "mark"
    /// The key of the number of the listing before which the server was restored.
    static let restoredKey = "restored"

    /// Records the identifier of the server's data. If it differs from the identifier that is already recorded, the
    /// server was restored from a backup. The catalogue then retains the items that the server last reported before the
    /// listing with the number `round`, until the server reports them again.
    ///
    /// The next search lists all known folders, so that the server reports again all items that it still has. The
    /// catalogue therefore does not retain such an item if another client removes it later.
    package func note(dataMark mark: String?, round: Int64) throws {
        guard let mark else { return }
        let bytes = Array(mark.utf8)
        let known = try value(Self.markKey)
        guard known != bytes else { return }
        if known != nil {
            try set(Array("\(max(round, try last(Self.restoredKey)))".utf8), for: Self.restoredKey)
            // The server may assign the identities of removed items to other items.
            try database.run("UPDATE gone SET identity = NULL")
            try database.run("UPDATE folder SET tag = NULL, due = 0")
        }
        try set(bytes, for: Self.markKey)
    }

    /// Whether a listing began before the server was restored from a backup.
    ///
    /// - Parameter round: the number of the listing.
    func isBeforeRestore(round: Int64) throws -> Bool { try round < last(Self.restoredKey) }

    /// Whether the server has an identifier of its data.
    func hasMark() throws -> Bool { try value(Self.markKey) != nil }

    /// Whether the catalogue retains an item even if the server does not list it, because the server last reported the
    /// item before it was restored from a backup.
    func isKept(_ item: CataloguedItem) throws -> Bool { try isBeforeRestore(round: item.round) }

    /// Returns an item that the catalogue retains (``isKept(_:)``); `nil` if the catalogue does not have the item, or
    /// if the server has reported the item since it was restored from a backup.
    func kept(_ number: Int64) throws -> CataloguedItem? {
        guard let item = try item(number), try isKept(item) else { return nil }
        return item
    }

    /// Moves a retained item that the server lacks.
    ///
    /// - Returns: `nil` if the folder is the item itself or lies within it.
    func moveRetained(_ item: CataloguedItem, to parent: Int64, named name: String) throws -> CataloguedItem? {
        guard try !isWithin(parent, item.number) else { return nil }
        try database.run(
            "UPDATE item SET parent = ?, name = ?, change = ? WHERE number = ?", .integer(parent), .text(name),
            .integer(try next("change")), .integer(item.number))
        return try self.item(item.number)
    }

    /// Removes the identity of a retained item whose contents are about to be sent as a new file. The server may assign
    /// another identity to the file. Without a recorded identity, the catalogue recognizes the file by its place.
    func forgetIdentity(of number: Int64) throws {
        guard let item = try item(number) else { return }
        var traits = item.traits
        traits.identity = nil
        try database.run(
            "UPDATE item SET identity = NULL, traits = ? WHERE number = ?", .bytes(try Self.bytes(traits)),
            .integer(number))
    }

    /// Renames a retained item, because another item has its name at the server. The retained item loses its identity,
    /// because a restored server assigns the same identities again to other items.
    func setAside(_ item: CataloguedItem) throws {
        for number in 1... {
            let words = number == 1 ? " (before the restore)" : " (before the restore \(number))"
            let name = ConflictName.inserting(words, into: item.name)
            guard try child(of: item.parent, named: name) == nil else { continue }
            try database.run(
                "UPDATE item SET name = ?, change = ? WHERE number = ?", .text(name), .integer(try next("change")),
                .integer(item.number))
            return try forgetIdentity(of: item.number)
        }
    }
}
