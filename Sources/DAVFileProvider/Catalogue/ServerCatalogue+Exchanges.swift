import SQLite

/// Records the exchanges that this client has begun. An exchange is a change for which a file at the server is renamed
/// temporarily.
///
/// Each exchange is recorded before its first request, with the random token in the names of its temporary files. If
/// this process is killed, the next process finds the files that the exchange has left. Only these records show that a
/// file at the server is temporary, because users and other clients may use any name.
extension ServerCatalogue {
    static let exchangeTable = """
        CREATE TABLE IF NOT EXISTS exchanged (
            folder INTEGER NOT NULL, name BLOB NOT NULL, token BLOB NOT NULL, version BLOB, digest BLOB, ended INTEGER,
            PRIMARY KEY (folder, name, token)) WITHOUT ROWID;
        """

    /// The number of seconds for which the record of an exchange is kept after its end. During this time, the server
    /// may still carry out a request whose reply was lost, and a listing may contain a file that was removed during the
    /// listing.
    private static let exchangeMemory: Int64 = 600

    /// Records that an exchange is about to begin.
    ///
    /// - Parameters:
    ///   - token: the token in the names of the temporary files.
    ///   - base: the state that the change replaces; `nil` for a new file.
    func note(exchange place: ExchangePlace, token: String, base: ServerWriter.Base?) throws {
        try database.run(
            "INSERT INTO exchanged VALUES (?, ?, ?, ?, ?, NULL)", .integer(place.folder), .text(place.name),
            .text(token), .optional(base?.version), base?.digest.map { .bytes($0) } ?? .null)
    }

    /// Records that the temporary files of an exchange no longer exist at the server.
    ///
    /// - Parameter token: the token of the exchange; `nil` for all exchanges at the place.
    func end(exchange place: ExchangePlace, token: String?) throws {
        try database.run(
            "UPDATE exchanged SET ended = ? WHERE folder = ? AND name = ? AND token = ifnull(?, token) AND ended IS NULL",
            .integer(ChangeWatch.now), .integer(place.folder), .text(place.name), .optional(token))
    }

    /// Removes the records of exchanges that ended more than `exchangeMemory` seconds ago.
    func forgetEndedExchanges() throws {
        try database.run("DELETE FROM exchanged WHERE ended < ?", .integer(ChangeWatch.now - Self.exchangeMemory))
    }

    /// Returns the record of an exchange that has not ended; `nil` if none is recorded for this place. A place may have
    /// several such records, because the server may carry out a request of an ended exchange late. In this case,
    /// returns one of them.
    func exchange(_ place: ExchangePlace) throws -> RecordedExchange? {
        try database.first(
            "SELECT token, version, digest FROM exchanged WHERE folder = ? AND name = ? AND ended IS NULL",
            .integer(place.folder), .text(place.name)
        ) { row in
            let digest = row.isNull(2) ? nil : row.bytes(2)
            return RecordedExchange(
                token: row.text(0), base: row.isNull(1) ? nil : ServerWriter.Base(version: row.text(1), digest: digest))
        }
    }

    /// Returns the places of the exchanges that have not ended.
    ///
    /// - Parameter folder: the folder of the places; `nil` for all folders.
    func exchanges(in folder: Int64? = nil) throws -> [ExchangePlace] {
        try database.all(
            "SELECT folder, name FROM exchanged WHERE folder = ifnull(?, folder) AND ended IS NULL", .optional(folder)
        ) { ExchangePlace(folder: $0.integer(0), name: $0.text(1)) }
    }

    /// Whether an entry of a listing is a temporary file of a recorded exchange. If the exchange has ended, marks it as
    /// not ended, so that the file is removed or gets its name back.
    func isTemporary(_ name: String, in folder: Int64) throws -> Bool {
        guard let token = ServerWriter.token(in: name) else { return false }
        let found = try database.first(
            "SELECT name, ended FROM exchanged WHERE folder = ? AND token = ?", .integer(folder), .text(token)
        ) { (place: ExchangePlace(folder: folder, name: $0.text(0)), hasEnded: !$0.isNull(1)) }
        guard let found else { return false }
        if found.hasEnded, try exchange(found.place) == nil {
            try database.run(
                "UPDATE exchanged SET ended = NULL WHERE folder = ? AND name = ? AND token = ?", .integer(folder),
                .text(found.place.name), .text(token))
        }
        return true
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
    /// The token in the names of the temporary files.
    let token: String
    /// The state that the change replaces; `nil` for a new file.
    let base: ServerWriter.Base?
}
