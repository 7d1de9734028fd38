import LinuxSystem

/// Changes the lookup on the connection that writes.
final class LookupWriter {
    private let connection: DatabaseConnection
    private let lookup: Lookup
    private let hash: KeyedHash
    private let readBucket: Statement
    private let writeBucket: Statement
    private let note: Statement
    private var fresh = Fresh()
    private var counts: Counts

    /// The filter, and the entries that other connections cannot find yet.
    private struct Fresh {
        var filter = LookupFilter(capacity: 0)
        /// Entries that this transaction added and that are not in the shared table yet. They are moved to that table
        /// together, because each causes a cache miss there, and the processor can handle many misses at a time.
        var entries: [LookupEntry] = []

        /// Adds the entries of an item to the filter and to ``entries``.
        ///
        /// - Returns: Whether the filter no longer excludes most hashes.
        mutating func add(_ number: ItemNumber, _ identifier: UInt64?, _ name: UInt64?) -> Bool {
            add(number, identifier)
            add(number, name)
            return filter.isFull
        }

        private mutating func add(_ number: ItemNumber, _ hash: UInt64?) {
            guard let hash else { return }
            entries.append(LookupEntry(hash, number))
            filter.insert(hash)
        }
    }

    /// The counts that are stored in the file.
    private struct Counts {
        /// The greatest item number in the buckets. The buckets have the entries of all items up to this number, except
        /// those of items in the table `lookup_noted`.
        var lastNumber: Int64 = 0
        /// The number of entries in the buckets.
        var entries: Int64 = 0
        /// A lower bound of the number of outdated entries.
        var outdated: Int64 = 0
        var bits = Int64(LookupBuckets.leastBits)
    }

    /// The number of entries up to which all entries stay in memory only.
    private let leastRecent: Int

    init(
        _ connection: DatabaseConnection, _ lookup: Lookup, hash: KeyedHash, leastRecent: Int
    ) throws(IndexError) {
        self.leastRecent = leastRecent
        self.connection = connection
        self.lookup = lookup
        self.hash = hash
        readBucket = try connection.statement("SELECT entries FROM lookup WHERE bucket = ?1")
        writeBucket = try connection.statement("INSERT OR REPLACE INTO lookup (bucket, entries) VALUES (?1, ?2)")
        note = try connection.statement("INSERT OR IGNORE INTO lookup_noted (number) VALUES (?1)")
        counts = Counts()
        try load()
    }

    // MARK: Opening

    private func load() throws(IndexError) {
        counts.lastNumber = try connection.number("SELECT value FROM lookup_counts WHERE name = 'lastNumber'")
        counts.entries = try connection.number("SELECT value FROM lookup_counts WHERE name = 'entries'")
        counts.outdated = try connection.number("SELECT value FROM lookup_counts WHERE name = 'outdated'")
        let bits = try connection.number("SELECT value FROM lookup_counts WHERE name = 'bits'")
        guard bits >= 0, bits < 32 else { throw ByteReader.damage }
        counts.bits = max(bits, counts.bits)
        var recent = RecentEntries()
        try readRows(
            "WHERE number > \(counts.lastNumber) OR number IN (SELECT number FROM lookup_noted)"
        ) { recent.insert(LookupEntry(rawValue: $0)) }
        let loaded = recent
        let counted = UInt64(counts.bits)
        lookup.state.withLock { state in
            state.recent = loaded
            state.bits = counted
        }
        try makeFilter()
    }

    /// Computes the entries of items from the items' rows.
    ///
    /// - Parameters:
    ///   - which: The SQL text that selects the rows. It follows the name of the table.
    ///   - body: Called with each entry.
    private func readRows(_ which: String, _ body: (UInt64) -> Void) throws(IndexError) {
        let rows = try connection.statement("SELECT number, parent, data FROM items " + which)
        while try rows.step() {
            let number = ItemNumber(rawValue: rows.integer(0))
            let key = try PackedItem.key(rows.bytes(2))
            body(LookupEntry(hash.identifier(key.identifier), number).rawValue)
            let parent = ItemNumber(rawValue: rows.integer(1))
            body(LookupEntry(hash.name(key.name, in: parent), number).rawValue)
        }
    }

    private func makeFilter() throws(IndexError) {
        settle()
        let recent = lookup.state.withLock { $0.recent.sorted() }
        var filter = LookupFilter(capacity: Int(counts.entries) + recent.count)
        for entry in recent { filter.insert(entry) }
        let buckets = try connection.statement("SELECT entries FROM lookup WHERE bucket >= ?1")
        buckets.bind(1, 1 << counts.bits)
        while try buckets.step() {
            for entry in LookupBuckets.entries(buckets.bytes(0)) { filter.insert(entry) }
        }
        fresh.filter = filter
    }

    // MARK: Changing

    /// Whether the given hash may be in the lookup. If so, makes its entries visible to
    /// ``LookupQueries/numbers(_:_:)``.
    func mayContain(_ hash: UInt64) -> Bool {
        guard fresh.filter.mayContain(hash) else { return false }
        settle()
        return true
    }

    /// Returns, for each of the given hashes, whether it may be in the lookup.
    func mayContain(_ hashes: [UInt64]) -> [Bool] { hashes.map { fresh.filter.mayContain($0) } }

    /// Adds the entries of an item.
    ///
    /// - Parameters:
    ///   - identifier: The hash of the item's identifier; `nil` if the lookup already has it.
    ///   - name: The hash of the item's name in its directory; `nil` if the lookup already has it.
    func add(_ number: ItemNumber, identifier: UInt64? = nil, name: UInt64? = nil) throws(IndexError) {
        if number.rawValue <= counts.lastNumber {
            note.bind(1, number.rawValue)
            try note.run()
        }
        if fresh.add(number, identifier, name) { try makeFilter() }
    }

    /// Makes the added entries visible to all connections. Must be called before the end of each transaction.
    func settle() {
        guard !fresh.entries.isEmpty else { return }
        lookup.state.withLock { state in
            for entry in fresh.entries { state.recent.insert(entry) }
        }
        fresh.entries.removeAll(keepingCapacity: true)
    }

    /// Counts one more outdated entry. Outdated entries are deleted when there are many of them.
    func remove() { counts.outdated += 1 }

    /// Whether there are so many entries in memory that ``store(lastNumber:)`` must be called.
    var isDue: Bool {
        lookup.state.withLock { $0.recent.count } > max(leastRecent, Int(counts.entries / 4))
    }

    /// Moves the entries in memory to disk, in a transaction of its own. A failure changes nothing.
    ///
    /// - Parameter lastNumber: The greatest number of an existing item.
    func store(lastNumber: ItemNumber) throws(IndexError) {
        var after = counts
        after.lastNumber = max(counts.lastNumber, lastNumber.rawValue)
        try connection.transaction { () throws(IndexError) in
            // Delete the rows that were written when there were fewer buckets. They are not read any more.
            let old = try connection.statement("DELETE FROM lookup WHERE bucket < ?1")
            old.bind(1, 1 << counts.bits)
            try old.run()
            if counts.outdated > max(Int64(leastRecent), counts.entries / 2) {
                try writeAll(&after)
            } else {
                try writeRecent(&after)
            }
            try connection.run(
                """
                DELETE FROM lookup_noted;
                INSERT OR REPLACE INTO lookup_counts (name, value) VALUES ('lastNumber', \(after.lastNumber)),
                    ('entries', \(after.entries)), ('outdated', \(after.outdated)), ('bits', \(after.bits));
                """)
        }
        counts = after
        let bits = UInt64(after.bits)
        lookup.state.withLock { state in
            state.recent = RecentEntries()
            state.bits = bits
            state.generation += 1
        }
    }

    private func writeRecent(_ after: inout Counts) throws(IndexError) {
        let recent = lookup.state.withLock { $0.recent.sorted() }
        let bits = UInt64(counts.bits)
        let newBits = max(bits, LookupBuckets.bits(for: Int(counts.entries) + recent.count))
        after.bits = Int64(newBits)
        var next = 0
        for bucket in 0..<(UInt64(1) << bits) {
            let start = next
            while next < recent.count, LookupEntry.bucket(recent[next], bits: bits) == bucket { next += 1 }
            let isUnchanged = start == next && bits == newBits
            guard !isUnchanged else { continue }
            var entries = try read(LookupBuckets.key(bucket, bits: bits))
            let known = entries.count
            for entry in recent[start..<next] {
                // Changed items may repeat entries that did not change.
                let isOld = LookupEntry(rawValue: entry).number.rawValue <= counts.lastNumber
                if isOld, entries[..<known].contains(entry) { continue }
                entries.append(entry)
            }
            after.entries += Int64(entries.count - known)
            try write(entries, from: bucket << (newBits - bits), count: 1 << (newBits - bits), bits: newBits)
        }
    }

    private func writeAll(_ after: inout Counts) throws(IndexError) {
        var entries: [UInt64] = []
        try readRows("") { entries.append($0) }
        entries.sort()
        after.entries = Int64(entries.count)
        after.outdated = 0
        // The number of bits never decreases, so that rows that were written for fewer bits have lesser keys.
        let bits = max(UInt64(counts.bits), LookupBuckets.bits(for: entries.count))
        after.bits = Int64(bits)
        let old = try connection.statement("DELETE FROM lookup WHERE bucket >= ?1")
        old.bind(1, 1 << counts.bits)
        if bits == UInt64(counts.bits) { try old.run() }
        try write(entries, from: 0, count: 1 << bits, bits: bits)
    }

    /// Writes consecutive buckets, beginning with the bucket `first`.
    private func write(
        _ entries: [UInt64], from first: UInt64, count: UInt64, bits: UInt64
    ) throws(IndexError) {
        if count == 1 { return try write(entries[...], first, bits) }
        let sorted = entries.sorted()
        var next = 0
        for bucket in first..<(first + count) {
            let start = next
            while next < sorted.count, LookupEntry.bucket(sorted[next], bits: bits) == bucket { next += 1 }
            try write(sorted[start..<next], bucket, bits)
        }
    }

    private func write(_ entries: ArraySlice<UInt64>, _ bucket: UInt64, _ bits: UInt64) throws(IndexError) {
        writeBucket.bind(1, LookupBuckets.key(bucket, bits: bits))
        let result = entries.withUnsafeBytes { bytes in
            Result { () throws(IndexError) in
                writeBucket.bind(2, kept: bytes)
                try writeBucket.run()
            }
        }
        try result.get()
    }

    private func read(_ key: Int64) throws(IndexError) -> [UInt64] {
        readBucket.bind(1, key)
        guard try readBucket.step() else { return [] }
        defer { readBucket.reset() }
        return LookupBuckets.entries(readBucket.bytes(0))
    }
}
