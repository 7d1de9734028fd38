import Glibc

/// The tables of the index.
///
/// - `items`: one row per item. The properties by which queries select rows have columns. The other properties are in a
///   ``PackedItem``.
/// - `lookup`, `lookup_noted`, `lookup_counts`: map the hash of an identifier, or of a name in a directory, to the
///   numbers of the items that may match; see ``Lookup``.
/// - `used`: files with clean local contents, each with the time of its last use.
/// - `kept_folders`: pinned directories, including those inside a pinned directory.
/// - `wanted`: pinned items that are not materialized: files without all bytes, directories that are not fully listed.
/// - `orphans`: items whose parent is not known yet, with the identifier of that parent.
/// - `facts`: user metadata of items: the provider's values, and values that were set locally.
/// - `renamed`: items whose search terms changed since they were added, in the order of the changes.
/// - `trash`: the items in the provider's trash.
/// - `trash_nodes`: the files and directories of the local view of the trash; see ``TrashNode``.
/// - `doubts`: identifiers of items with uncertain status, which must be revalidated.
/// - `reidentified`: directories whose items may have new identifiers.
/// - `new_identifiers`: the directories among these whose own identifier the provider changed.
/// - `outdated`: directories with possible changes that the provider does not report by itself.
/// - `anchors`, `settings`: values that are stored for other components.
enum IndexSchema {
    /// The version of the schema. An index with another version is deleted and rebuilt.
    static let version: Int64 = 3

    static func create(in connection: DatabaseConnection) throws(IndexError) {
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

    /// Creates the tables that were added to this version of the schema later, if they do not exist.
    static func complete(_ connection: DatabaseConnection) throws(IndexError) {
        try connection.run("CREATE TABLE IF NOT EXISTS doubts (identifier TEXT PRIMARY KEY) WITHOUT ROWID")
        try connection.run("CREATE TABLE IF NOT EXISTS outdated (container TEXT PRIMARY KEY) WITHOUT ROWID")
        try connection.run("CREATE TABLE IF NOT EXISTS reidentified (number INTEGER PRIMARY KEY)")
        try connection.run("CREATE TABLE IF NOT EXISTS new_identifiers (number INTEGER PRIMARY KEY)")
        try connection.run("CREATE TABLE IF NOT EXISTS trash_nodes (number INTEGER PRIMARY KEY, data BLOB NOT NULL)")
    }

    /// The keys of the index's own settings. They have the prefix `index.`, which other components must not use.
    enum Setting {
        static let nextNumber = "index.nextNumber"
        static let firstKey = "index.firstKey"
        static let secondKey = "index.secondKey"
    }
}
