/// One entry of the lookup: 28 bits of the hash of an identifier or of a name in a folder, and the number of the item that may
/// have it. Whoever asks looks at the item's row, so entries that are not true any more do no harm.
struct LookupEntry: RawRepresentable {
    let rawValue: UInt64

    init(rawValue: UInt64) { self.rawValue = rawValue }

    init(_ hash: UInt64, _ number: ItemNumber) {
        rawValue = hash & ~Self.numberMask | UInt64(bitPattern: number.rawValue) & Self.numberMask
    }

    /// More numbers than any domain gives.
    static let numberBits: UInt64 = 36
    static let numberMask: UInt64 = (1 << numberBits) - 1

    var number: ItemNumber { ItemNumber(rawValue: Int64(rawValue & Self.numberMask)) }

    func isOf(_ hash: UInt64) -> Bool { (rawValue ^ hash) >> Self.numberBits == 0 }

    /// Which bucket it is in, where there are two to the power of so many.
    static func bucket(_ hashOrEntry: UInt64, bits: UInt64) -> UInt64 { hashOrEntry >> (64 - bits) }
}

/// Entries that are not in the buckets yet, in memory: found by their hash in one step. None is removed, because a transaction
/// that removes an item may come to nothing.
struct RecentEntries {
    private var slots: [UInt64]
    private(set) var count = 0

    /// No entry is like this: there is no item of number 0.
    private static let empty: UInt64 = 0

    init() { slots = Array(repeating: Self.empty, count: 1 << 10) }

    private func slot(_ hash: UInt64) -> Int { Int(hash >> LookupEntry.numberBits) & (slots.count - 1) }

    mutating func insert(_ entry: LookupEntry) {
        if (count + 1) * 2 > slots.count { grow() }
        var index = slot(entry.rawValue)
        while slots[index] != Self.empty {
            if slots[index] == entry.rawValue { return }
            index = (index + 1) & (slots.count - 1)
        }
        slots[index] = entry.rawValue
        count += 1
    }

    func find(_ hash: UInt64, _ numbers: inout [ItemNumber]) {
        var index = slot(hash)
        while slots[index] != Self.empty {
            let entry = LookupEntry(rawValue: slots[index])
            if entry.isOf(hash) { numbers.append(entry.number) }
            index = (index + 1) & (slots.count - 1)
        }
    }

    /// All of them, by their hashes.
    func sorted() -> [UInt64] {
        var entries = slots.filter { $0 != Self.empty }
        entries.sort()
        return entries
    }

    private mutating func grow() {
        let old = slots
        slots = Array(repeating: Self.empty, count: old.count * 2)
        count = 0
        for entry in old where entry != Self.empty { insert(LookupEntry(rawValue: entry)) }
    }
}
