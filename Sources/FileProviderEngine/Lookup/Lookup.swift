import LinuxSystem

/// A hash table from identifiers, or names in a directory, to the items that may match.
///
/// Hashes come in no order, so a few insertions into a table on disk would touch pages all over it. Therefore entries
/// gather in memory first and are written many at a time, into buckets by the first bits of their hashes. A bucket is
/// one row with some hundreds of entries. After the index was closed or its process ended, the entries in memory are
/// rebuilt from the items themselves: all with numbers after the last one stored, and the older ones that are noted
/// (``LookupWriter``).
final class Lookup: Sendable {
    struct State {
        var recent = RecentEntries()
        /// The binary logarithm of the number of buckets.
        var bits: UInt64 = LookupBuckets.leastBits
        /// A counter of the times that entries moved to the disk.
        var generation = 0
    }

    // Leaf lock.
    let state = Lock(State())
}

/// The lookup as one connection sees it.
final class LookupQueries {
    private let lookup: Lookup
    private let find: Statement

    init(_ connection: DatabaseConnection, _ lookup: Lookup) throws(IndexError) {
        self.lookup = lookup
        // Returns a row even if the bucket does not exist, so that the statement holds its snapshot until it is
        // reset.
        find = try connection.statement("SELECT (SELECT entries FROM lookup WHERE bucket = ?1)")
    }

    /// Appends the items that may have a hash, nearly always one or none.
    ///
    /// Until ``endReading()`` the connection sees the index as of this call. All entries for the rows of that
    /// snapshot are found: they were in memory before the rows were committed.
    func numbers(_ hash: UInt64, _ numbers: inout [ItemNumber]) throws(IndexError) {
        while true {
            find.reset()
            numbers.removeAll(keepingCapacity: true)
            let (bits, generation) = lookup.state.withLock { ($0.bits, $0.generation) }
            find.bind(1, LookupBuckets.key(LookupEntry.bucket(hash, bits: bits), bits: bits))
            if try find.step() { LookupBuckets.find(hash, find.bytes(0), &numbers) }
            // Read after the snapshot: an entry that is added later belongs to rows that the snapshot does not have.
            let isCurrent = lookup.state.withLock { state in
                state.recent.find(hash, &numbers)
                return state.generation == generation
            }
            // Otherwise entries have moved from memory to disk, and the snapshot may lack them.
            if isCurrent { return }
        }
    }

    func endReading() { find.reset() }
}
