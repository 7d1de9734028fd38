import LinuxSystem

/// From the hash of an identifier, or of a name in a folder, to the items that may have it.
///
/// Hashes come in no order, so a table of them on a disk is written all over for every few entries that are added. Therefore
/// entries gather in memory first, and go to the disk many at a time: into buckets by the first bits of their hashes, each one row
/// with some hundreds of entries. Those in memory are found again, after the index was closed or its process ended, from the
/// items themselves: all with numbers after the last that went to the disk, and older ones that are noted (``LookupWriter``).
final class Lookup: Sendable {
    struct State {
        var recent = RecentEntries()
        /// There are two to the power of so many buckets.
        var bits: UInt64 = LookupBuckets.leastBits
        /// Changes when entries went to the disk.
        var generation = 0
    }

    // Innermost: nothing is called while it is held.
    let state = Lock(State())
}

/// The lookup as one connection sees it.
final class LookupQueries {
    private let lookup: Lookup
    private let find: Statement

    init(_ connection: DatabaseConnection, _ lookup: Lookup) throws(IndexFailure) {
        self.lookup = lookup
        // Has a row also where there is no such bucket, so that the statement holds its snapshot until it is reset.
        find = try connection.statement("SELECT (SELECT entries FROM lookup WHERE bucket = ?1)")
    }

    /// Appends the items that may have a hash, nearly always one or none.
    ///
    /// Until ``endReading()`` the connection goes on to see the index as of this call. All entries for the rows of that snapshot are
    /// found: they were in memory before the rows were committed.
    func numbers(_ hash: UInt64, _ numbers: inout [ItemNumber]) throws(IndexFailure) {
        while true {
            find.reset()
            numbers.removeAll(keepingCapacity: true)
            let (bits, generation) = lookup.state.withLock { ($0.bits, $0.generation) }
            find.bind(1, LookupBuckets.key(LookupEntry.bucket(hash, bits: bits), bits: bits))
            if try find.step() { LookupBuckets.find(hash, find.bytes(0), &numbers) }
            // After the snapshot: an entry that is added later belongs to rows that the snapshot does not have.
            let isCurrent = lookup.state.withLock { state in
                state.recent.find(hash, &numbers)
                return state.generation == generation
            }
            // Else entries have left memory, and the snapshot may lack them.
            if isCurrent { return }
        }
    }

    func endReading() { find.reset() }
}
