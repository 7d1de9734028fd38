import Glibc

/// The tables of the index.
///
/// - `items`: a row per item. What is looked for has columns; the rest is a ``PackedItem``.
/// - `lookup`, `lookup_noted`, `lookup_counts`: from the hash of an identifier, or of a name in a folder, to the numbers of the
///   items that may be it; see ``Lookup``.
/// - `used`: files with clean contents on this machine, and when they were used last.
/// - `kept_folders`: folders that stay on this machine with all that is in them.
/// - `wanted`: of what stays on this machine, what is not here yet: files without their bytes, folders that are not listed whole.
/// - `orphans`: items whose parent has not been told of, and where they are until then.
/// - `facts`: of items that a person used or marked, what the provider and this machine know of that.
/// - `renamed`: items whose words for the search are others than when they were added, in the order in which that was.
/// - `trash`: what the provider says lies in its trash.
/// - `doubts`: identifiers of items of which the provider has to say what became of them.
/// - `reidentified`: folders that the provider gave another identifier, in which items may have other ones too.
/// - `outdated`: folders in which something may have happened that the provider will not tell of by itself.
/// - `anchors`, `settings`: words that are kept for others.
enum IndexSchema {
    /// An index of another version is built anew.
    static let version: Int64 = 3

    static func create(in connection: DatabaseConnection) throws(IndexFailure) {
        try connection.run(
            """
            CREATE TABLE items (
                number INTEGER PRIMARY KEY, parent INTEGER NOT NULL, changes INTEGER NOT NULL, data BLOB NOT NULL);
            CREATE INDEX children ON items (parent);
            CREATE INDEX changed ON items (changes) WHERE changes <> 0;
            CREATE TABLE lookup (bucket INTEGER PRIMARY KEY, entries BLOB NOT NULL);
            CREATE TABLE lookup_noted (number INTEGER PRIMARY KEY);
            CREATE TABLE lookup_counts (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
            CREATE TABLE used (number INTEGER PRIMARY KEY, time REAL NOT NULL, size INTEGER NOT NULL);
            CREATE INDEX used_time ON used (time);
            CREATE TABLE kept_folders (number INTEGER PRIMARY KEY);
            CREATE TABLE wanted (number INTEGER PRIMARY KEY);
            CREATE TABLE orphans (number INTEGER PRIMARY KEY, parent TEXT NOT NULL, listed INTEGER NOT NULL);
            CREATE INDEX orphans_parent ON orphans (parent);
            CREATE TABLE facts (
                number INTEGER PRIMARY KEY, used REAL, rank INTEGER, data BLOB, tags TEXT, here INTEGER NOT NULL);
            CREATE INDEX facts_used ON facts (used) WHERE used IS NOT NULL;
            CREATE INDEX facts_rank ON facts (rank) WHERE rank IS NOT NULL;
            CREATE TABLE renamed (mark INTEGER PRIMARY KEY, number INTEGER NOT NULL);
            CREATE TABLE trash (identifier TEXT PRIMARY KEY, data BLOB NOT NULL) WITHOUT ROWID;
            CREATE TABLE anchors (container TEXT PRIMARY KEY, anchor BLOB NOT NULL) WITHOUT ROWID;
            CREATE TABLE settings (key TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID;
            """)
        try complete(connection)
        try connection.run("PRAGMA user_version = \(version)")
    }

    /// Adds what an index of this version has not had from the beginning.
    static func complete(_ connection: DatabaseConnection) throws(IndexFailure) {
        try connection.run("CREATE TABLE IF NOT EXISTS doubts (identifier TEXT PRIMARY KEY) WITHOUT ROWID")
        try connection.run("CREATE TABLE IF NOT EXISTS outdated (container TEXT PRIMARY KEY) WITHOUT ROWID")
        try connection.run("CREATE TABLE IF NOT EXISTS reidentified (number INTEGER PRIMARY KEY)")
    }

    /// Settings of the index itself begin with this; others' must not.
    enum Setting {
        static let nextNumber = "index.nextNumber"
        static let firstKey = "index.firstKey"
        static let secondKey = "index.secondKey"
    }
}
