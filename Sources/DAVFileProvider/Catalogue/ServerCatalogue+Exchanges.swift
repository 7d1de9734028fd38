import SQLite

/// Records the exchanges that this client has begun. An exchange is a change for which a file at the server is renamed
/// temporarily.
///
/// Each exchange is recorded before its first request. If this process is killed, the next process finds the files that
/// the exchange has left.
extension ServerCatalogue {
    static let exchangeTable = """
        CREATE TABLE IF NOT EXISTS exchange (
            folder INTEGER NOT NULL, name BLOB NOT NULL, version BLOB, digest BLOB,
            PRIMARY KEY (folder, name)) WITHOUT ROWID;
        """

    /// Records that an exchange is about to begin.
    ///
    /// - Parameter base: the state that the change replaces; `nil` for a new file.
    func note(exchange place: ExchangePlace, base: ServerWriter.Base?) throws {
        try database.run(
            "INSERT OR REPLACE INTO exchange VALUES (?, ?, ?, ?)", .integer(place.folder), .text(place.name),
            .optional(base?.version), base?.digest.map { .bytes($0) } ?? .null)
    }

    /// Removes the record of an exchange whose temporary files no longer exist at the server.
    func end(exchange place: ExchangePlace) throws {
        try database.run(
            "DELETE FROM exchange WHERE folder = ? AND name = ?", .integer(place.folder), .text(place.name))
    }

    /// Returns the record of an exchange; `nil` if none is recorded for this place.
    func exchange(_ place: ExchangePlace) throws -> RecordedExchange? {
        try database.first(
            "SELECT version, digest FROM exchange WHERE folder = ? AND name = ?", .integer(place.folder),
            .text(place.name)
        ) { row in
            let digest = row.isNull(1) ? nil : row.bytes(1)
            return RecordedExchange(
                base: row.isNull(0) ? nil : ServerWriter.Base(version: row.text(0), digest: digest))
        }
    }

    /// Returns the places of the recorded exchanges.
    ///
    /// - Parameter folder: the folder of the places; `nil` for all folders.
    func exchanges(in folder: Int64? = nil) throws -> [ExchangePlace] {
        try database.all("SELECT folder, name FROM exchange WHERE folder = ifnull(?, folder)", .optional(folder)) {
            ExchangePlace(folder: $0.integer(0), name: $0.text(1))
        }
    }

    /// Whether a listing may lack the item although the item exists, because an exchange may have renamed it
    /// temporarily.
    func mayBeAside(_ item: CataloguedItem) throws -> Bool {
        try exchange(ExchangePlace(folder: item.parent, name: item.name)) != nil
    }
}

/// The place of a file during an exchange: the file's name and the number of its folder, which stays the same when the
/// folder is moved.
struct ExchangePlace: Hashable, Sendable {
    let folder: Int64
    let name: String
}

/// The record of an exchange.
struct RecordedExchange: Sendable {
    /// The state that the change replaces; `nil` for a new file.
    let base: ServerWriter.Base?
}
