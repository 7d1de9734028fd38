import LinuxSystem

/// The search file: an FTS5 index of SQLite that does not store the text. Only one thread may use it at a time.
///
/// The file is updated later than the index, and the old words of an item are never removed. Therefore each item that
/// is found is checked. Once too much of the file is outdated, it is rebuilt.
final class SearchFile {
    /// Identifies the index to which the file belongs. In another index, the same item numbers denote other items.
    private let identity: Int64
    let connection: DatabaseConnection

    private static let version: Int64 = 2

    private enum Key: String {
        case identity
        /// The greatest item number in the file. The file has all items up to this number.
        case last
        /// The number of items that were added again because their words changed.
        case repeated
        /// The boot of the machine during which the file was opened for writing; 0 if it was closed since.
        case start
    }

    /// The kinds of tokens for properties other than the name.
    private enum Word {
        static let type: UInt32 = 0xF0001
        static let month: UInt32 = 0xF0002
    }

    // MARK: Writing

    /// Opens the file for writing, and creates it if it does not exist.
    ///
    /// - Throws: ``IndexError/corrupt(_:)`` if the file is damaged, was not closed before a reboot, has another
    ///   version, or belongs to another index.
    init(writing path: String, identity: Int64, start: Int64) throws(IndexError) {
        self.identity = identity
        connection = try DatabaseConnection(path: path, .writing, cache: 4 << 20)
        try connection.run("PRAGMA journal_mode = WAL")
        try connection.run("PRAGMA synchronous = NORMAL")
        try connection.run("PRAGMA journal_size_limit = \(4 << 20)")
        let version = try connection.number("PRAGMA user_version")
        guard version == Self.version || version == 0 else { throw .corrupt("another version") }
        if version == 0 { try create() }
        guard try value(.identity) == identity else { throw .corrupt("the words of another index") }
        // After a crash of the machine, the file and the index may each lack changes that the other has.
        let before = try value(.start) ?? 0
        guard before == 0 || before == start else { throw .corrupt("it was not closed") }
        try set(.start, to: start)
    }

    private func create() throws(IndexError) {
        guard try connection.number("SELECT count(*) FROM sqlite_schema") == 0 else {
            throw .corrupt("the file has the tables of another program")
        }
        try connection.transaction { () throws(IndexError) in
            try connection.run(
                """
                CREATE VIRTUAL TABLE words USING fts5 (
                    text, content = '', columnsize = 0, detail = none, tokenize = 'ascii');
                CREATE TABLE types (number INTEGER PRIMARY KEY, identifier TEXT NOT NULL UNIQUE);
                CREATE TABLE months (month INTEGER PRIMARY KEY);
                CREATE TABLE state (key TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
                INSERT INTO words (words, rank) VALUES ('hashsize', \(4 << 20));
                """)
            try set(.identity, to: identity)
            try connection.run("PRAGMA user_version = \(Self.version)")
        }
    }

    /// Marks the file as closed, so that it can be used after a reboot.
    func close() throws(IndexError) { try set(.start, to: 0) }

    private func set(_ key: Key, to value: Int64) throws(IndexError) {
        let statement = try connection.statement("INSERT OR REPLACE INTO state (key, value) VALUES (?1, ?2)")
        statement.bind(1, key.rawValue)
        statement.bind(2, value)
        try statement.run()
    }

    private func value(_ key: Key) throws(IndexError) -> Int64? {
        let statement = try connection.statement("SELECT value FROM state WHERE key = ?1")
        statement.bind(1, key.rawValue)
        return try statement.number()
    }

    /// Returns the greatest item number in the file. The file has all items up to this number.
    func lastNumber() throws(IndexError) -> ItemNumber { ItemNumber(rawValue: try value(.last) ?? 0) }

    /// Empties the file if too much of it is outdated.
    func emptyIfWornOut() throws(IndexError) {
        guard try value(.repeated) ?? 0 > 10_000 + (try lastNumber().rawValue) / 2 else { return }
        try connection.transaction { () throws(IndexError) in
            try connection.run("INSERT INTO words (words) VALUES ('delete-all')")
            try set(.last, to: 0)
            try set(.repeated, to: 0)
        }
    }

    /// Adds items in one transaction.
    ///
    /// - Parameters:
    ///   - items: The items, in ascending order of their item numbers.
    ///   - last: The greatest item number in the file afterwards; `nil` if the file already has the items and their
    ///     words changed.
    func add(_ items: [(number: ItemNumber, words: SearchWords)], upTo last: ItemNumber?) throws(IndexError) {
        try connection.transaction { () throws(IndexError) in
            let insert = try connection.statement("INSERT INTO words (rowid, text) VALUES (?1, ?2)")
            var writer = TokenWriter()
            var types: [String: Int64] = [:]
            var months: Set<Int64> = []
            for (number, words) in items {
                writer.clear()
                writer.add(name: FoldedText.scalars(of: words.name))
                if let known = types[words.type] {
                    writer.add(Word.type, number: known)
                } else {
                    let type = try self.number(ofType: words.type)
                    types[words.type] = type
                    writer.add(Word.type, number: type)
                }
                if let month = words.month {
                    writer.add(Word.month, number: month)
                    months.insert(month)
                }
                insert.bind(1, number.rawValue)
                try insert.runWithText(2, writer.text)
            }
            let note = try connection.statement("INSERT OR IGNORE INTO months (month) VALUES (?1)")
            for month in months {
                note.bind(1, month)
                try note.run()
            }
            if let last {
                try set(.last, to: last.rawValue)
            } else {
                try set(.repeated, to: (try value(.repeated) ?? 0) + Int64(items.count))
            }
        }
    }

    private func number(ofType identifier: String) throws(IndexError) -> Int64 {
        let add = try connection.statement("INSERT OR IGNORE INTO types (identifier) VALUES (?1)")
        add.bind(1, identifier)
        try add.run()
        let find = try connection.statement("SELECT number FROM types WHERE identifier = ?1")
        find.bind(1, identifier)
        return try find.number() ?? 0
    }

    // MARK: Reading

    /// Opens an existing file for reading. Returns `nil` if the file has another version or belongs to another index.
    init?(reading path: String, identity: Int64) throws(IndexError) {
        self.identity = identity
        connection = try DatabaseConnection(path: path, .reading, cache: 4 << 20)
        guard try connection.number("PRAGMA user_version") == Self.version, try value(.identity) == identity else {
            return nil
        }
    }

    /// Enumerates the items that may match the query, in descending order of their item numbers.
    ///
    /// - Parameter body: Called for each item; returns `false` to stop.
    /// - Returns: `false` if the file cannot narrow down the query. Then `body` is not called.
    func candidates(
        _ query: SearchQuery, _ body: (ItemNumber) throws(IndexError) -> Bool
    ) throws(IndexError) -> Bool {
        let last = try lastNumber().rawValue
        var conditions: [Condition] = []
        for term in query.words.compactMap({ SearchTerm($0) }) {
            for token in Set(term.tokens).prefix(Self.mostTokens) {
                conditions.append(try condition([token], last))
            }
        }
        if !query.types.isEmpty { conditions.append(try condition(try tokens(ofTypes: query.types), last)) }
        if let tokens = try monthTokens(query) { conditions.append(try condition(tokens, last)) }
        guard let expression = Self.expression(conditions) else { return false }
        let find = try connection.statement("SELECT rowid FROM words WHERE words MATCH ?1 ORDER BY rowid DESC")
        defer { find.reset() }
        find.bind(1, expression)
        while try find.step() {
            guard try body(ItemNumber(rawValue: find.integer(0))) else { break }
        }
        return true
    }

    /// A condition on an item in the search file: the item must have at least one of the tokens.
    private struct Condition {
        let expression: String
        /// The estimated fraction of all items that have at least one of the tokens.
        let share: Double
    }

    /// The maximum number of tokens of a term that are used. This many tokens suffice to exclude most items.
    private static let mostTokens = 24
    private static let probed = 1000

    private func condition(_ tokens: [[UInt8]], _ last: Int64) throws(IndexError) -> Condition {
        guard !tokens.isEmpty else { return Condition(expression: "\"\u{F0003}\"", share: 0) }
        var share = tokens.count > 16 ? 1.0 : 0
        for token in tokens where share < 1 { share += try self.share(token, last) }
        let words = tokens.map { "\"" + String(decoding: $0, as: UTF8.self) + "\"" }
        return Condition(expression: "(" + words.joined(separator: " OR ") + ")", share: min(share, 1))
    }

    private func share(_ token: [UInt8], _ last: Int64) throws(IndexError) -> Double {
        let probe = try connection.statement(
            "SELECT rowid FROM words WHERE words MATCH ?1 ORDER BY rowid DESC LIMIT 1 OFFSET \(Self.probed - 1)")
        probe.bind(1, "\"" + String(decoding: token, as: UTF8.self) + "\"")
        guard let number = try probe.number() else { return 0 }
        return Double(Self.probed) / Double(max(last - number + 1, Int64(Self.probed)))
    }

    /// Returns the FTS5 expression for the given conditions; `nil` if there are none. If far more items meet one
    /// condition than another, the condition that more items meet is left out, because evaluating it costs more than it
    /// saves. It is checked later, for each item that is found.
    private static func expression(_ conditions: [Condition]) -> String? {
        guard let least = conditions.map(\.share).min() else { return nil }
        let used = conditions.filter { $0.share <= max(least * 30, 0.01) }
        return used.map(\.expression).joined(separator: " AND ")
    }

    private func tokens(ofTypes identifiers: [String]) throws(IndexError) -> [[UInt8]] {
        var wanted = WantedTypes(identifiers)
        let all = try connection.statement("SELECT number, identifier FROM types")
        defer { all.reset() }
        var tokens: [[UInt8]] = []
        while try all.step() {
            if wanted.contains(all.text(1)) { tokens.append(Self.token(Word.type, all.integer(0))) }
        }
        return tokens
    }

    /// The maximum number of months in a range of modification dates. A longer range excludes too few items to be used.
    private static let mostMonths = 400

    private func monthTokens(_ query: SearchQuery) throws(IndexError) -> [[UInt8]]? {
        guard query.since != nil || query.before != nil else { return nil }
        // Only months that occur count, so a date in the distant past or future adds at most one.
        let find = try connection.statement(
            "SELECT month FROM months WHERE month BETWEEN ?1 AND ?2 LIMIT \(Self.mostMonths + 1)")
        defer { find.reset() }
        find.bind(1, query.since.map { SearchWords.month(of: $0) } ?? .min)
        find.bind(2, query.before.map { SearchWords.month(of: $0) } ?? .max)
        var tokens: [[UInt8]] = []
        while try find.step() { tokens.append(Self.token(Word.month, find.integer(0))) }
        return tokens.count <= Self.mostMonths ? tokens : nil
    }

    private static func token(_ kind: UInt32, _ number: Int64) -> [UInt8] {
        var writer = TokenWriter()
        writer.add(kind, number: number)
        return Array(writer.text.dropLast())
    }
}

extension Statement {
    /// Binds a text to the parameter with the given index, and runs the statement to its end.
    fileprivate func runWithText(_ place: CInt, _ text: [UInt8]) throws(IndexError) {
        bind(place, String(decoding: text, as: UTF8.self))
        try run()
    }
}
