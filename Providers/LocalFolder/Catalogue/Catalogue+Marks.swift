import SQLite

/// The user metadata of an item. A confined process cannot write this metadata to the files themselves.
package struct CatalogueMarks: Sendable, Equatable {
    /// The date of last use, in seconds since 1970.
    package var lastUsed: Double?
    package var favoriteRank: UInt64?
    package var tagData: [UInt8]?

    package init() {}

    fileprivate enum Kind {
        static let lastUsed: Int64 = 0
        static let favoriteRank: Int64 = 1
        static let tagData: Int64 = 2
    }

    fileprivate var values: [(kind: Int64, value: [UInt8])] {
        var values: [(kind: Int64, value: [UInt8])] = []
        if let lastUsed { values.append((Kind.lastUsed, Array("\(lastUsed)".utf8))) }
        if let favoriteRank { values.append((Kind.favoriteRank, Array("\(favoriteRank)".utf8))) }
        if let tagData { values.append((Kind.tagData, tagData)) }
        return values
    }

    fileprivate mutating func take(_ kind: Int64, _ value: [UInt8]) {
        switch kind {
        case Kind.lastUsed: lastUsed = Double(String(decoding: value, as: UTF8.self))
        case Kind.favoriteRank: favoriteRank = UInt64(String(decoding: value, as: UTF8.self))
        case Kind.tagData: tagData = value
        default: break
        }
    }
}

extension Catalogue {
    static let marksTable = """
        CREATE TABLE IF NOT EXISTS mark (
            number INTEGER NOT NULL, kind INTEGER NOT NULL, value BLOB NOT NULL, PRIMARY KEY (number, kind))
            WITHOUT ROWID;
        """

    package func marks(of number: Int64) throws -> CatalogueMarks {
        try marks(of: [number])[number] ?? CatalogueMarks()
    }

    /// Returns user metadata by item number. Items without user metadata are left out.
    func marks(of numbers: [Int64]) throws -> [Int64: CatalogueMarks] {
        guard let first = numbers.min(), let last = numbers.max() else { return [:] }
        // One range query is fast, because the items of a page have close numbers, and few items have user metadata.
        let rows = try database.all(
            "SELECT number, kind, value FROM mark WHERE number BETWEEN ? AND ?", .integer(first), .integer(last)
        ) { ($0.integer(0), $0.integer(1), $0.bytes(2)) }
        var marks: [Int64: CatalogueMarks] = [:]
        for (number, kind, value) in rows { marks[number, default: CatalogueMarks()].take(kind, value) }
        return marks
    }

    /// Changes the user metadata of an item and reports the item in the change feed.
    package func mark(_ item: CatalogueItem, _ change: (inout CatalogueMarks) -> Void) throws -> CatalogueItem {
        let before = try marks(of: item.number)
        var marks = before
        change(&marks)
        guard marks != before else { return item }
        return try database.transaction {
            try database.run("DELETE FROM mark WHERE number = ?", .integer(item.number))
            for (kind, value) in marks.values {
                try database.run(
                    "INSERT INTO mark (number, kind, value) VALUES (?, ?, ?)", .integer(item.number), .integer(kind),
                    .bytes(value))
            }
            // The change feed does not contain the root.
            guard item.number != CatalogueItem.root else { return item }
            return try place(item, item.name, in: item.parent, item.facts)
        }
    }

    /// Returns the existing items that have user metadata, in ascending number.
    package func markedItems(after number: Int64, limit: Int) throws -> [CatalogueItem] {
        var found: [CatalogueItem] = []
        var last = max(number, CatalogueItem.root)
        // The caller treats a page with fewer items than the limit as the last one.
        while found.count < limit {
            let items = try database.all(
                """
                SELECT \(Self.columns) FROM item WHERE number IN (SELECT number FROM mark) AND gone = 0 AND number > ?
                ORDER BY number LIMIT ?
                """, .integer(last), .integer(Int64(limit - found.count)), read: Self.read)
            guard let end = items.last else { break }
            last = end.number
            found += try items.filter { try !isBuried($0) }
        }
        return found
    }
}
