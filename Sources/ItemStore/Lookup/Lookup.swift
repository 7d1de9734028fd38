import LinuxSystem

/// A hash table that finds items by identifier, or by name in a directory. It returns the numbers of all items that may
/// match.
///
/// Hashes are in random order, so even a few insertions would change many pages of a table on disk. Therefore entries
/// are collected in memory and written many at a time. On disk they are in buckets by the first bits of their hashes. A
/// bucket is one row with some hundreds of entries. At the next start, the entries that were only in memory are rebuilt
/// from the rows of their items. Some of these items have greater numbers than the last stored one. The others are
/// older and changed since. Their numbers are recorded in the table `lookup_noted` (``LookupWriter``).
final class Lookup: Sendable {
    struct State {
        var recent = RecentEntries()
        /// The binary logarithm of the number of buckets.
        var bits: UInt64 = LookupBuckets.leastBits
        /// The number of times that entries were moved from memory to disk.
        var generation = 0
    }

    // Leaf lock.
    let state = Lock(State())
}

/// Queries the lookup on one connection.
final class LookupQueries {
    private let lookup: Lookup
    private let find: Statement

    init(_ connection: DatabaseConnection, _ lookup: Lookup) throws(IndexError) {
        self.lookup = lookup
        // The statement returns a row even if the bucket does not exist, so that it holds its snapshot until it is
        // reset.
        find = try connection.statement("SELECT (SELECT entries FROM lookup WHERE bucket = ?1)")
    }

    /// Replaces the contents of `numbers` by the items that may match the given hash. Usually there is at most one.
    ///
    /// Until ``endReading()``, the connection sees the index as it was at this call. All entries for the rows of this
    /// snapshot are found, because they were in memory before the rows were committed.
    func numbers(_ hash: UInt64, _ numbers: inout [ItemNumber]) throws(IndexError) {
        while true {
            find.reset()
            numbers.removeAll(keepingCapacity: true)
            let (bits, generation) = lookup.state.withLock { ($0.bits, $0.generation) }
            find.bind(1, LookupBuckets.key(LookupEntry.bucket(hash, bits: bits), bits: bits))
            if try find.step() { LookupBuckets.find(hash, find.bytes(0), &numbers) }
            // The entries in memory are read after the snapshot was taken. An entry that is added later belongs to rows
            // that the snapshot does not have.
            let isCurrent = lookup.state.withLock { state in
                state.recent.find(hash, &numbers)
                return state.generation == generation
            }
            // If the generation has changed, entries have moved from memory to disk, and the snapshot may lack them.
            if isCurrent { return }
        }
    }

    func endReading() { find.reset() }
}

/// The format of the buckets in the database: one row per bucket, with the entries in any order.
enum LookupBuckets {
    static let leastBits: UInt64 = 4
    private static let mostBits: UInt64 = 27
    /// The desired average number of entries in a bucket. It is about half of the number for which a page has room.
    private static let averageCount = 448

    /// Returns the key of the row of the given bucket. Keys for different numbers of bits differ, so that the table can
    /// contain the buckets for two numbers of bits at the same time.
    static func key(_ bucket: UInt64, bits: UInt64) -> Int64 { Int64(1 << bits | bucket) }

    static func bits(for count: Int) -> UInt64 {
        var bits = leastBits
        while bits < mostBits, count > averageCount << Int(bits) { bits += 1 }
        return bits
    }

    static func find(_ hash: UInt64, _ bytes: UnsafeRawBufferPointer, _ numbers: inout [ItemNumber]) {
        for offset in stride(from: 0, to: bytes.count - 7, by: 8) {
            let entry = LookupEntry(rawValue: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
            if entry.isOf(hash) { numbers.append(entry.number) }
        }
    }

    static func entries(_ bytes: UnsafeRawBufferPointer) -> [UInt64] {
        [UInt64](unsafeUninitializedCapacity: bytes.count / 8) { buffer, count in
            count = bytes.count / 8
            for index in 0..<count {
                buffer[index] = bytes.loadUnaligned(fromByteOffset: index * 8, as: UInt64.self)
            }
        }
    }
}
