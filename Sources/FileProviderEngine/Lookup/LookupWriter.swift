import LinuxSystem

/// Changes of the lookup, on the connection that writes.
final class LookupWriter {
    private let connection: DatabaseConnection
    private let lookup: Lookup
    private let hash: KeyedHash
    private let readBucket: Statement
    private let writeBucket: Statement
    private let note: Statement
    private var fresh = Fresh()
    private var counts: Counts

    /// What is known of entries at once, before anything of them is where others find it.
    private struct Fresh {
        var filter = LookupFilter(capacity: 0)
        /// What this transaction has added and nobody has looked for yet. Each takes a place of its own in a memory of megabytes: the
        /// processor waits for many of them at a time where they are put there together.
        var entries: [LookupEntry] = []

        /// - Returns: whether the filter says little by now.
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

    /// What is kept in the settings.
    private struct Counts {
        /// Items up to this number are in the buckets, but for those that are noted.
        var lastNumber: Int64 = 0
        /// Entries in the buckets.
        var entries: Int64 = 0
        /// How many of these are not true any more, at least.
        var outdated: Int64 = 0
        var bits = Int64(LookupBuckets.leastBits)
    }

    /// Fewer entries stay in memory.
    private let leastRecent: Int

    init(
        _ connection: DatabaseConnection, _ lookup: Lookup, hash: KeyedHash, leastRecent: Int
    ) throws(IndexFailure) {
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

    private func load() throws(IndexFailure) {
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

    /// The entries of items, from the items themselves.
    private func readRows(_ which: String, _ body: (UInt64) -> Void) throws(IndexFailure) {
        let rows = try connection.statement("SELECT number, parent, data FROM items " + which)
        while try rows.step() {
            let number = ItemNumber(rawValue: rows.integer(0))
            let key = try PackedItem.key(rows.bytes(2))
            body(LookupEntry(hash.identifier(key.identifier), number).rawValue)
            let parent = ItemNumber(rawValue: rows.integer(1))
            body(LookupEntry(hash.name(key.name, in: parent), number).rawValue)
        }
    }

    private func makeFilter() throws(IndexFailure) {
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

    /// Whether a hash may be in the lookup, where it is found from now on.
    func mayContain(_ hash: UInt64) -> Bool {
        guard fresh.filter.mayContain(hash) else { return false }
        settle()
        return true
    }

    /// Which of some hashes may be in the lookup.
    func mayContain(_ hashes: [UInt64]) -> [Bool] { hashes.map { fresh.filter.mayContain($0) } }

    /// - Parameters:
    ///   - identifier: the hash of the item's identifier; `nil` where that is in the lookup already.
    ///   - name: the hash of its name, likewise.
    func add(_ number: ItemNumber, identifier: UInt64? = nil, name: UInt64? = nil) throws(IndexFailure) {
        if number.rawValue <= counts.lastNumber {
            note.bind(1, number.rawValue)
            try note.run()
        }
        if fresh.add(number, identifier, name) { try makeFilter() }
    }

    /// Makes known to all connections what was added; to be called before the end of each transaction.
    func settle() {
        guard !fresh.entries.isEmpty else { return }
        lookup.state.withLock { state in
            for entry in fresh.entries { state.recent.insert(entry) }
        }
        fresh.entries.removeAll(keepingCapacity: true)
    }

    /// An entry is not true any more. It stays until there are many such.
    func remove() { counts.outdated += 1 }

    /// Whether so much is in memory that it is time for ``store(lastNumber:)``.
    var isDue: Bool {
        lookup.state.withLock { $0.recent.count } > max(leastRecent, Int(counts.entries / 4))
    }

    /// Brings what is in memory to the disk, in a transaction of its own. Where that fails, nothing is different.
    ///
    /// - Parameter lastNumber: the greatest number of an item.
    func store(lastNumber: ItemNumber) throws(IndexFailure) {
        var after = counts
        after.lastNumber = max(counts.lastNumber, lastNumber.rawValue)
        try connection.transaction { () throws(IndexFailure) in
            // Rows of an earlier number of buckets, which nobody looks at any more.
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

    private func writeRecent(_ after: inout Counts) throws(IndexFailure) {
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
                // Items that changed may come again with what did not.
                let isOld = LookupEntry(rawValue: entry).number.rawValue <= counts.lastNumber
                if isOld, entries[..<known].contains(entry) { continue }
                entries.append(entry)
            }
            after.entries += Int64(entries.count - known)
            try write(entries, from: bucket << (newBits - bits), count: 1 << (newBits - bits), bits: newBits)
        }
    }

    private func writeAll(_ after: inout Counts) throws(IndexFailure) {
        var entries: [UInt64] = []
        try readRows("") { entries.append($0) }
        entries.sort()
        after.entries = Int64(entries.count)
        after.outdated = 0
        // Never fewer bits than before, so that rows of earlier numbers are those below.
        let bits = max(UInt64(counts.bits), LookupBuckets.bits(for: entries.count))
        after.bits = Int64(bits)
        let old = try connection.statement("DELETE FROM lookup WHERE bucket >= ?1")
        old.bind(1, 1 << counts.bits)
        if bits == UInt64(counts.bits) { try old.run() }
        try write(entries, from: 0, count: 1 << bits, bits: bits)
    }

    /// Writes some buckets that follow each other.
    private func write(
        _ entries: [UInt64], from first: UInt64, count: UInt64, bits: UInt64
    ) throws(IndexFailure) {
        if count == 1 { return try write(entries[...], first, bits) }
        let sorted = entries.sorted()
        var next = 0
        for bucket in first..<(first + count) {
            let start = next
            while next < sorted.count, LookupEntry.bucket(sorted[next], bits: bits) == bucket { next += 1 }
            try write(sorted[start..<next], bucket, bits)
        }
    }

    private func write(_ entries: ArraySlice<UInt64>, _ bucket: UInt64, _ bits: UInt64) throws(IndexFailure) {
        writeBucket.bind(1, LookupBuckets.key(bucket, bits: bits))
        let result = entries.withUnsafeBytes { bytes in
            Result { () throws(IndexFailure) in
                writeBucket.bind(2, kept: bytes)
                try writeBucket.run()
            }
        }
        try result.get()
    }

    private func read(_ key: Int64) throws(IndexFailure) -> [UInt64] {
        readBucket.bind(1, key)
        guard try readBucket.step() else { return [] }
        defer { readBucket.reset() }
        return LookupBuckets.entries(readBucket.bytes(0))
    }
}
