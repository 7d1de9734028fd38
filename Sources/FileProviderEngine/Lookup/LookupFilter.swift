/// Says of most hashes that are not in the lookup that they are not, from two bits for each of the beginnings of hashes. Both are in
/// one word, because each is a look into memory far away.
struct LookupFilter {
    private var words: [UInt64]
    /// There are two to the power of so many bits.
    private let bits: UInt64
    private(set) var count = 0
    private let limit: Int

    /// Of a hash, entries have no more than this.
    private static let hashBits = 64 - LookupEntry.numberBits

    /// - Parameter capacity: how many entries there are, or soon will be.
    init(capacity: Int) {
        var bits: UInt64 = 18
        while bits < 28, 1 << bits < capacity * 32 { bits += 1 }
        self.bits = bits
        limit = bits == 28 ? .max : 1 << Int(bits - 4)
        words = Array(repeating: 0, count: 1 << Int(bits - 6))
    }

    /// Whether it says little by now.
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
