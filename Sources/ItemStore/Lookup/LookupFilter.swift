/// A Bloom filter over the entries of the lookup, with two bits for the stored part of each hash. Both bits are in one
/// word, so a test needs only one memory access, which likely misses the cache.
struct LookupFilter {
    private var words: [UInt64]
    /// The binary logarithm of the number of bits in the filter.
    private let bits: UInt64
    private(set) var count = 0
    private let limit: Int

    /// The number of bits of a hash that an entry stores.
    private static let hashBits = 64 - LookupEntry.numberBits

    /// Creates an empty filter.
    ///
    /// - Parameter capacity: The number of entries that exist or are expected soon.
    init(capacity: Int) {
        var bits: UInt64 = 18
        while bits < 28, 1 << bits < capacity * 32 { bits += 1 }
        self.bits = bits
        limit = bits == 28 ? .max : 1 << Int(bits - 4)
        words = Array(repeating: 0, count: 1 << Int(bits - 6))
    }

    /// Whether so many bits are set that the filter no longer excludes most hashes.
    var isFull: Bool { count > limit }

    private func place(_ hashOrEntry: UInt64) -> (word: Int, mask: UInt64) {
        let beginning = hashOrEntry >> LookupEntry.numberBits
        let restBits = Self.hashBits - (bits - 6)
        let rest = (beginning & ((1 << restBits) - 1)) &* 0x9E37_79B9_7F4A_7C15
        return (Int(beginning >> restBits), 1 << (rest >> 58) | 1 << (rest >> 52 & 63))
    }

    mutating func insert(_ hashOrEntry: UInt64) {
        let (word, mask) = place(hashOrEntry)
        words[word] |= mask
        count += 1
    }

    func mayContain(_ hash: UInt64) -> Bool {
        let (word, mask) = place(hash)
        return words[word] & mask == mask
    }
}
