/// An immutable hash table from strings, compared without regard to ASCII case, to lists of small numbers.
///
/// Identifiers and tags compare this way (the old C interface says so of identifiers, the freedesktop database of
/// filename extensions). Looking up a native Swift string allocates nothing and takes no lock: open addressing over
/// flat arrays, keys compared byte by byte.
struct FoldedIndex: Sendable {
    private struct Entry {
        var hash: UInt32
        var keyStart: Int32
        var keyLength: Int32
        var values: Range<Int32>
    }

    /// Number of the entry plus one; zero is a free slot. Its count is a power of two, at least twice the entries'.
    private var slots: [Int32]
    private var entries: [Entry]
    private var keys: [UInt8]
    private var values: [Int32]

    /// Builds the table; the values of one key keep the order in which they were added, each once.
    init(_ pairs: some Sequence<(key: UnsafeBufferPointer<UInt8>, value: Int)>) {
        var lists: [[Int32]] = []
        entries = []
        keys = []
        values = []
        slots = [Int32](repeating: 0, count: 64)
        for (key, value) in pairs {
            let hash = Self.hash(key)
            var slot = probe(key, hash)
            if slots[slot] == 0 {
                if (entries.count + 1) * 2 > slots.count {
                    grow()
                    slot = probe(key, hash)
                }
                entries.append(
                    Entry(hash: hash, keyStart: Int32(keys.count), keyLength: Int32(key.count), values: 0..<0))
                keys.append(contentsOf: key.lazy.map(asciiLowercase))
                lists.append([])
                slots[slot] = Int32(entries.count)
            }
            let list = Int(slots[slot]) - 1
            if !lists[list].contains(Int32(value)) {
                lists[list].append(Int32(value))
            }
        }
        for (number, list) in lists.enumerated() {
            let start = Int32(values.count)
            values.append(contentsOf: list)
            entries[number].values = start..<Int32(values.count)
        }
    }

    /// The same from strings.
    init(strings: [(key: String, value: Int)]) {
        // The bytes of all keys stay where they are while the table is built, because `bytes` is complete before.
        var bytes: [UInt8] = []
        var parts: [(range: Range<Int>, value: Int)] = []
        for (key, value) in strings {
            let start = bytes.count
            bytes.append(contentsOf: key.utf8)
            parts.append((start..<bytes.count, value))
        }
        self = bytes.withUnsafeBufferPointer { bytes in
            FoldedIndex(parts.lazy.map { (UnsafeBufferPointer(rebasing: bytes[$0.range]), $0.value) })
        }
    }

    var isEmpty: Bool { entries.isEmpty }

    /// Calls `body` with the values of `key`, in order, until it returns a result.
    @inline(__always)
    func first<Result>(_ key: String, where body: (Int) -> Result?) -> Result? {
        if entries.isEmpty {
            return nil
        }
        guard let found = withBytes(of: key, { find($0) }) else { return nil }
        for number in found {
            if let result = body(Int(values[Int(number)])) {
                return result
            }
        }
        return nil
    }

    /// The first value of `key`.
    func first(_ key: String) -> Int? {
        first(key) { $0 }
    }

    private func find(_ key: UnsafeBufferPointer<UInt8>) -> Range<Int32>? {
        let entry = slots[probe(key, Self.hash(key))]
        return entry == 0 ? nil : entries[Int(entry) - 1].values
    }

    /// The slot that holds `key`, or the free one where it belongs.
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

    private mutating func grow() {
        let mask = slots.count * 2 - 1
        slots = [Int32](repeating: 0, count: mask + 1)
        for (number, entry) in entries.enumerated() {
            var slot = Int(entry.hash) & mask
            while slots[slot] != 0 {
                slot = (slot + 1) & mask
            }
            slots[slot] = Int32(number + 1)
        }
    }

    /// FNV-1a over the folded bytes, the high bits mixed down because only the low ones choose a slot.
    private static func hash(_ key: UnsafeBufferPointer<UInt8>) -> UInt32 {
        var hash: UInt32 = 2_166_136_261
        for byte in key {
            hash = (hash ^ UInt32(asciiLowercase(byte))) &* 16_777_619
        }
        return hash ^ (hash >> 15)
    }
}

/// Calls `body` with the UTF-8 of `string`, in place where the string is native, as all but bridged ones are.
@inline(__always)
func withBytes<Result>(of string: String, _ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
    if let result = string.utf8.withContiguousStorageIfAvailable(body) {
        return result
    }
    return Array(string.utf8).withUnsafeBufferPointer(body)
}

/// `byte` with the letters A to Z in lower case.
@inline(__always)
func asciiLowercase(_ byte: UInt8) -> UInt8 {
    byte &- 0x41 < 26 ? byte | 0x20 : byte
}
