import SQLite

/// Records uncertain names: names in the listings of a folder with addresses at which the server has nothing. Some
/// servers write wrong addresses into their listings.
extension ServerCatalogue {
    static let mislistedTable = """
        CREATE TABLE IF NOT EXISTS mislisted (
            folder INTEGER NOT NULL, name BLOB NOT NULL, is_logged INTEGER NOT NULL,
            PRIMARY KEY (folder, name)) WITHOUT ROWID;
        """

    /// Returns the uncertain names in a folder. A listed entry with such a name is requested first. It counts as an
    /// item only if the server has something at its address.
    func uncertainNames(in folder: Int64) throws -> Set<[UInt8]> {
        Set(try database.all("SELECT name FROM mislisted WHERE folder = ?", .integer(folder)) { $0.bytes(0) })
    }

    /// Records that the server had nothing at the address of an item. If the next listing contains the item
    /// nevertheless, its name is uncertain.
    func noteUncertain(of name: String, in folder: Int64) throws {
        try database.run("INSERT OR IGNORE INTO mislisted VALUES (?, ?, 0)", .integer(folder), .text(name))
    }

    /// Records that a listing contained a name although the server has nothing at its address.
    ///
    /// - Returns: whether the caller should log the name, because no earlier call has recorded it.
    package func noteMislisted(_ name: String, in folder: Int64) throws -> Bool {
        let isLogged = try database.first(
            "SELECT is_logged FROM mislisted WHERE folder = ? AND name = ?", .integer(folder), .text(name)
        ) { $0.integer(0) != 0 }
        if isLogged == true { return false }
        try database.run("INSERT OR REPLACE INTO mislisted VALUES (?, ?, 1)", .integer(folder), .text(name))
        return true
    }

    /// Removes the records of the uncertain names in a folder, except the given names. After a complete listing, the
    /// given names are those of the entries that were left out. The other names were not listed, or their items exist.
    package func forgetMislisted(in folder: Int64, except names: Set<[UInt8]>) throws {
        for name in try uncertainNames(in: folder) where !names.contains(name) {
            try database.run("DELETE FROM mislisted WHERE folder = ? AND name = ?", .integer(folder), .bytes(name))
        }
    }

    /// Records entries of a folder's listing.
    ///
    /// - Returns: the numbers of their items, the entries whose items are new, and the entries whose name an earlier
    ///   entry of the listing had. The latter are not recorded.
    func note(
        listed entries: [ObservedItem], in folder: Int64, round: Int64
    ) throws -> (numbers: [Int64], new: [ObservedItem], repeated: [ObservedItem]) {
        var (numbers, new, repeated): ([Int64], [ObservedItem], [ObservedItem]) = ([], [], [])
        for entry in entries {
            if try isRepeated(entry, in: folder, round: round) {
                repeated.append(entry)
                continue
            }
            let (item, isNew) = try note(entry, in: folder, round: round)
            numbers.append(item.number)
            if isNew { new.append(entry) }
        }
        return (numbers, new, repeated)
    }

    /// Whether a listing has contained another entry with the name of this entry before.
    func isRepeated(_ entry: ObservedItem, in folder: Int64, round: Int64) throws -> Bool {
        guard let known = try child(of: folder, named: entry.name), known.round == round else { return false }
        return known.isFolder != entry.isFolder || known.version.text != entry.version.text
    }
}
