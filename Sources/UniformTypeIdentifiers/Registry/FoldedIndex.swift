/// An immutable hash table from strings, compared regardless of ASCII case, to lists of small numbers.
///
/// Apple's older C interface compares identifiers this way, and the freedesktop database compares filename extensions
/// this way. Looking up a native Swift string allocates no memory and takes no lock, because the table uses open
/// addressing over flat arrays, and compares keys byte by byte.
struct FoldedIndex: Sendable, Equatable {
    private struct Entry: Equatable {
        var hash: UInt32
        var keyStart: Int32
        var keyLength: Int32
        /// The number of the link with the key's first value.
        var first: Int32
    }

    /// One value of a key, and the number of the link with the next value, or -1.
    private struct Link: Equatable {
        var value: Int32
        var next: Int32
    }

    /// For each slot, the number of its entry plus one; zero for a free slot. The number of slots is a power of two, at
    /// least twice the number of entries.
    private var slots: [Int32]
    private var entries: [Entry] = []
    private var keys: [UInt8] = []
    private var links: [Link] = []

    /// Builds the table. The values of one key stay in the order in which they were added. Duplicates are left out.
    init(_ pairs: [(key: UnsafeBufferPointer<UInt8>, value: Int)]) {
        var count = 16
        while count < pairs.count * 2 {
            count *= 2
        }
        slots = [Int32](repeating: 0, count: count)
        entries.reserveCapacity(pairs.count)
        links.reserveCapacity(pairs.count)
        keys.reserveCapacity(pairs.reduce(0) { $0 + $1.key.count })
        for (key, value) in pairs {
            add(key, value)
        }
    }

    private mutating func add(_ key: UnsafeBufferPointer<UInt8>, _ value: Int) {
        let link = Link(value: Int32(value), next: -1)
        let hash = Self.hash(key)
        let slot = probe(key, hash)
        guard slots[slot] != 0 else {
            entries.append(
                Entry(
                    hash: hash, keyStart: Int32(keys.count), keyLength: Int32(key.count), first: Int32(links.count)))
            slots[slot] = Int32(entries.count)
            links.append(link)
            for byte in key {
                keys.append(asciiLowercase(byte))
            }
            return
        }
        var last = Int(entries[Int(slots[slot]) - 1].first)
        while links[last].value != value {
            guard links[last].next >= 0 else {
                links[last].next = Int32(links.count)
                links.append(link)
                return
            }
            last = Int(links[last].next)
        }
    }

    /// Builds the table from strings.
    init(strings: [(key: String, value: Int)]) {
        // All keys are in `bytes` before the table is built, so that pointers to them stay valid.
        var bytes: [UInt8] = []
        var parts: [(range: Range<Int>, value: Int)] = []
        for (key, value) in strings {
            let start = bytes.count
            bytes.append(contentsOf: key.utf8)
            parts.append((start..<bytes.count, value))
        }
        self = bytes.withUnsafeBufferPointer { bytes in
            FoldedIndex(parts.map { (UnsafeBufferPointer(rebasing: bytes[$0.range]), $0.value) })
        }
    }

    /// Returns `other` if it equals this table, so that only one copy stays in memory; otherwise this table.
    func shared(with other: FoldedIndex?) -> FoldedIndex {
        other == self ? other ?? self : self
    }

    var isEmpty: Bool { entries.isEmpty }

    /// Calls `body` with the values of `key`, in order, until it returns a result.
    @inline(__always)
    func first<Result>(_ key: String, where body: (Int) -> Result?) -> Result? {
        first(from: find(key), where: body)
    }

    /// Calls `body` with the values of a key, in order, until `body` returns a result. `place` is the number of the
    /// key's first link as ``find(_:)`` returns it, or -1.
    @inline(__always)
    func first<Result>(from place: Int, where body: (Int) -> Result?) -> Result? {
        var number = place
        while number >= 0 {
            let link = links[number]
            if let result = body(Int(link.value)) {
                return result
            }
            number = Int(link.next)
        }
        return nil
    }

    /// Returns the first value of `key`.
    func first(_ key: String) -> Int? {
        first(key) { $0 }
    }

    /// Returns the number of the first link of `key` in this table, or -1.
    ///
    /// Like the next function, this one is not inlined, because there are many callers, and the cost of a call is small
    /// compared to that of the hash.
    @inline(never)
    func find(_ key: String) -> Int {
        isEmpty ? -1 : withBytes(of: key) { find($0, Self.hash($0)) }
    }

    /// Returns the number of the first link of `key` in each of three tables. The key is hashed once.
    @inline(never)
    static func find(
        _ key: String, in one: borrowing FoldedIndex, _ two: borrowing FoldedIndex, _ three: borrowing FoldedIndex
    ) -> (Int, Int, Int) {
        withBytes(of: key) { key in
            let hash = hash(key)
            return (one.find(key, hash), two.find(key, hash), three.find(key, hash))
        }
    }

    private func find(_ key: UnsafeBufferPointer<UInt8>, _ hash: UInt32) -> Int {
        if isEmpty { return -1 }
        let entry = slots[probe(key, hash)]
        return entry == 0 ? -1 : Int(entries[Int(entry) - 1].first)
    }

    /// Returns the slot that contains `key`, or the free slot for it.
    private func probe(_ key: UnsafeBufferPointer<UInt8>, _ hash: UInt32) -> Int {
        let mask = slots.count - 1
        var slot = Int(hash) & mask
        while slots[slot] != 0 {
            let entry = entries[Int(slots[slot]) - 1]
            if entry.hash == hash, Int(entry.keyLength) == key.count, matches(key, at: Int(entry.keyStart)) {
                return slot
            }
            slot = (slot + 1) & mask
        }
        return slot
    }

    private func matches(_ key: UnsafeBufferPointer<UInt8>, at start: Int) -> Bool {
        for offset in 0..<key.count where asciiLowercase(key[offset]) != keys[start + offset] {
            return false
        }
        return true
    }

    /// Returns the FNV-1a hash of the folded bytes, with the high bits mixed into the low ones, because only the low
    /// ones choose a slot.
    private static func hash(_ key: UnsafeBufferPointer<UInt8>) -> UInt32 {
        var hash: UInt32 = 2_166_136_261
        for byte in key {
            hash = (hash ^ UInt32(asciiLowercase(byte))) &* 16_777_619
        }
        return hash ^ (hash >> 15)
    }
}

/// Calls `body` with the UTF-8 of `string`. A native string is not copied. All strings except bridged ones are native.
@inline(__always)
func withBytes<Result>(of string: String, _ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
    if let result = string.utf8.withContiguousStorageIfAvailable(body) {
        return result
    }
    return Array(string.utf8).withUnsafeBufferPointer(body)
}

/// Returns `byte`, with the letters A to Z in lower case.
@inline(__always)
func asciiLowercase(_ byte: UInt8) -> UInt8 {
    byte &- 0x41 < 26 ? byte | 0x20 : byte
}
