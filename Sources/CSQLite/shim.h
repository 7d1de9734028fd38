#include <sqlite3.h>

// sqlite3_config and sqlite3_db_config take varying arguments, which Swift cannot pass.

/// No counting of all memory that SQLite takes, under one lock of the process. Before anything else is asked of SQLite.
static inline int csqlite_do_not_count_memory(void) {
    return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}

/// A text or blob that is bound stays where it is until the statement is reset.
static inline int csqlite_bind_bytes(sqlite3_stmt *statement, int place, const void *bytes, sqlite3_uint64 count) {
    // A null pointer would be NULL, and not an empty blob.
    return sqlite3_bind_blob64(statement, place, bytes ? bytes : "", count, SQLITE_STATIC);
}

/// A text that is copied.
static inline int csqlite_bind_text(sqlite3_stmt *statement, int place, const void *bytes, sqlite3_uint64 count) {
    return sqlite3_bind_text64(statement, place, bytes ? (const char *)bytes : "", count, SQLITE_TRANSIENT, SQLITE_UTF8);
}
