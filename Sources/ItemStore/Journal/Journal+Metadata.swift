/// The user metadata of one item that was set locally and that the provider has not confirmed.
package struct MetadataEntry: Sendable, Equatable {
    package var number: ItemNumber
    /// The item's identifier at the provider. It begins with ``IndexedItem/localPrefix`` if the provider had not
    /// assigned one when the entry was written.
    package var identifier: String
    package var kinds: MetadataKinds
    /// The values. Only those of ``kinds`` are meaningful.
    package var values: ItemMetadata

    package init(number: ItemNumber, identifier: String, kinds: MetadataKinds, values: ItemMetadata) {
        self.number = number
        self.identifier = identifier
        self.kinds = kinds
        self.values = values
    }

    func write(to bytes: inout ByteWriter) {
        bytes.byte(kinds.rawValue)
        bytes.text(identifier)
        bytes.byte(
            (values.lastUsed == nil ? 0 : 1) | (values.favoriteRank == nil ? 0 : 2) | (values.tagData == nil ? 0 : 4))
        if let lastUsed = values.lastUsed { bytes.double(lastUsed) }
        if let rank = values.favoriteRank { bytes.number(rank) }
        if let data = values.tagData { bytes.counted(data) }
    }

    static func read(number: ItemNumber, _ bytes: UnsafeRawBufferPointer) throws(IndexError) -> MetadataEntry {
        var reader = ByteReader(bytes)
        let kinds = MetadataKinds(rawValue: try reader.byte())
        var entry = MetadataEntry(number: number, identifier: try reader.text(), kinds: kinds, values: ItemMetadata())
        let parts = try reader.byte()
        if parts & 1 != 0 { entry.values.lastUsed = try reader.double() }
        if parts & 2 != 0 { entry.values.favoriteRank = try reader.number() }
        if parts & 4 != 0 { entry.values.tagData = try reader.array() }
        return entry
    }
}

/// Stores user metadata in the journal. Its table is separate from that of the edits, so that an item with new tags
/// does not count as edited.
extension Journal {
    static func createMetadataTable(in connection: DatabaseConnection) throws(IndexError) {
        try connection.run("CREATE TABLE IF NOT EXISTS facts (number INTEGER PRIMARY KEY, data BLOB NOT NULL)")
    }

    /// Writes all given entries or none. Each replaces an earlier entry with the same item number.
    package func putMetadata(_ entries: [MetadataEntry]) throws(IndexError) {
        guard !entries.isEmpty else { return }
        try change(freesSpace: false) { () throws(IndexError) in
            let put = try connection.statement("INSERT OR REPLACE INTO facts (number, data) VALUES (?1, ?2)")
            var bytes = ByteWriter()
            for entry in entries {
                bytes.clear()
                entry.write(to: &bytes)
                put.bind(1, entry.number.rawValue)
                put.bind(2, kept: bytes.bytes)
                try put.run()
            }
        }
    }

    /// Removes the entry of the given item, because the provider has confirmed it or will never confirm it. Succeeds
    /// even on a full disk.
    package func removeMetadata(_ number: ItemNumber) throws(IndexError) {
        try change(freesSpace: true) { () throws(IndexError) in
            let remove = try connection.statement("DELETE FROM facts WHERE number = ?1")
            remove.bind(1, number.rawValue)
            try remove.run()
        }
    }

    /// Changes the item number of an entry. Succeeds even on a full disk.
    ///
    /// - Returns: `false` if the entry does not exist, or if another entry has the new item number.
    package func moveMetadata(_ number: ItemNumber, to other: ItemNumber) throws(IndexError) -> Bool {
        guard try metadata(number) != nil, try metadata(other) == nil else { return false }
        try change(freesSpace: true) { () throws(IndexError) in
            let move = try connection.statement("UPDATE facts SET number = ?2 WHERE number = ?1")
            move.bind(1, number.rawValue)
            move.bind(2, other.rawValue)
            try move.run()
        }
        return true
    }

    package func metadata(_ number: ItemNumber) throws(IndexError) -> MetadataEntry? {
        let find = try connection.statement("SELECT data FROM facts WHERE number = ?1")
        find.bind(1, number.rawValue)
        guard try find.step() else { return nil }
        defer { find.reset() }
        return try MetadataEntry.read(number: number, find.bytes(0))
    }

    package func metadataCount() throws(IndexError) -> Int {
        Int(try connection.number("SELECT count(*) FROM facts"))
    }

    /// Returns all entries in the order of their item numbers.
    package func allMetadata() throws(IndexError) -> [MetadataEntry] {
        let all = try connection.statement("SELECT number, data FROM facts ORDER BY number")
        var entries: [MetadataEntry] = []
        while try all.step() {
            entries.append(try MetadataEntry.read(number: ItemNumber(rawValue: all.integer(0)), all.bytes(1)))
        }
        return entries
    }
}
