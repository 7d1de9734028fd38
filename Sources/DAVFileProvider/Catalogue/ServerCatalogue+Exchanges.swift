import SQLite

/// The exchanges that this client has begun: changes for which a file is moved aside at the server.
///
/// Each is recorded before its first request, so that the next process finds what this one leaves when it is killed.
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

    /// Removes the record of an exchange that has left no files of its own at the server.
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
    /// - Parameter folder: the folder in which they are; `nil` for all.
    func exchanges(in folder: Int64? = nil) throws -> [ExchangePlace] {
        try database.all("SELECT folder, name FROM exchange WHERE folder = ifnull(?, folder)", .optional(folder)) {
            ExchangePlace(folder: $0.integer(0), name: $0.text(1))
        }
    }

    /// Whether a listing may lack an existing item, because an exchange may have moved it aside.
    func mayBeAside(_ item: CataloguedItem) throws -> Bool {
        try exchange(ExchangePlace(folder: item.parent, name: item.name)) != nil
    }
}

/// The name of a file that is exchanged, and the number of its folder, which stays when the folder is moved.
struct ExchangePlace: Hashable, Sendable {
    let folder: Int64
    let name: String
}

/// The record of an exchange.
struct RecordedExchange: Sendable {
    /// The state that the change replaces; `nil` for a new file.
    let base: ServerWriter.Base?
}
