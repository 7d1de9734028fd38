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
    /// An entry's place is the number that its first bits make, or the next free one after it: so they lie nearly in their order.
    private var slots: [UInt64]
    /// How many bits of an entry come after those.
    private let rest: UInt64
    private(set) var count = 0

    /// No entry is like this: there is no item of number 0.
    private static let empty: UInt64 = 0

    init() { self.init(slotBits: 10) }

    private init(slotBits: UInt64) {
        // No more bits than an entry has of its hash.
        rest = 64 - min(slotBits, 64 - LookupEntry.numberBits)
        slots = Array(repeating: Self.empty, count: 1 << Int(slotBits))
    }

    private func slot(_ hash: UInt64) -> Int { Int(hash >> rest) }

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
        var entries: [UInt64] = []
        entries.reserveCapacity(count)
        for (index, entry) in slots.enumerated() where entry != Self.empty && slot(entry) <= index {
            entries.append(entry)
        }
        // Those for which there was no free place up to the end.
        for (index, entry) in slots.enumerated() where slot(entry) > index { entries.append(entry) }
        // Each is where it belongs, or a few places beside it.
        for index in entries.indices.dropFirst() {
            let entry = entries[index]
            var place = index
            while place > 0, entries[place - 1] > entry {
                entries[place] = entries[place - 1]
                place -= 1
            }
            entries[place] = entry
        }
        return entries
    }

    private mutating func grow() {
        var larger = RecentEntries(slotBits: UInt64(slots.count.trailingZeroBitCount) + 1)
        for entry in slots where entry != Self.empty { larger.insert(LookupEntry(rawValue: entry)) }
        self = larger
    }
}
