#include <sqlite3.h>

// sqlite3_config takes variable arguments, which Swift cannot pass.

/// Turns off SQLite's memory statistics, which take a lock of the whole process. Must be called before any other use
/// of SQLite.
static inline int csqlite_do_not_count_memory(void) {
    return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}

/// Binds a blob without a copy. The bytes must stay in place until the statement is reset.
static inline int csqlite_bind_bytes(sqlite3_stmt *statement, int place, const void *bytes, sqlite3_uint64 count) {
    // A null pointer would bind NULL instead of an empty blob.
    return sqlite3_bind_blob64(statement, place, bytes ? bytes : "", count, SQLITE_STATIC);
}

/// Binds a copy of a text.
static inline int csqlite_bind_text(sqlite3_stmt *statement, int place, const void *bytes, sqlite3_uint64 count) {
    return sqlite3_bind_text64(statement, place, bytes ? (const char *)bytes : "", count, SQLITE_TRANSIENT, SQLITE_UTF8);
}
