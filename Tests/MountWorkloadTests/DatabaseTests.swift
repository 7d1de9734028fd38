import TestThreads
import Testing

/// Tests of SQLite in a mount: its locks, its journals and its shared memory.
@Suite(.ownThreads, .enabled(if: MountFixture.isWanted), .timeLimit(.minutes(20))) struct DatabaseTests {
    @Test(arguments: ["delete", "truncate", "persist", "wal"])
    func aDatabaseIsFilled(inJournalMode mode: String) throws {
        try MountFixture.run { place in
            try place.shell(
                """
                (
                    echo 'pragma journal_mode = \(mode); create table entries (number integer primary key, data blob);'
                    for transaction in $(seq 0 19); do
                        echo 'begin;'
                        for number in $(seq 50); do
                            echo "insert into entries values ($((transaction * 50 + number)), randomblob(200));"
                        done
                        echo 'commit;'
                    done
                ) > fill.sql
                sqlite3 -bail "$M/database" < fill.sql
                test "$(sqlite3 "$M/database" 'pragma integrity_check; select count(*), sum(number) from entries')" \\
                    = "$(printf 'ok\\n1000|500500')"
                """)
            // Two programs write at once.
            try place.shell(
                """
                fill() {
                    for number in $(seq 40); do
                        echo "insert into entries (data) values ('$1');"
                    done | sqlite3 -bail -cmd '.timeout 60000' "$M/database"
                }
                fill first & first=$!
                fill second & second=$!
                wait "$first"
                wait "$second"
                sqlite3 "$M/database" 'update entries set data = randomblob(300) where number % 3 = 0; vacuum;'
                test "$(sqlite3 "$M/database" 'pragma integrity_check; select count(*) from entries')" \\
                    = "$(printf 'ok\\n1080')"
                """)
            try place.expectThatTheProviderHasAll()
            // A copy is checked, because the database is the provider's.
            try place.shell(
                """
                cp "$C"/database* .
                test "$(sqlite3 database 'pragma integrity_check; select count(*) from entries')" \\
                    = "$(printf 'ok\\n1080')"
                """)
        }
    }
}
