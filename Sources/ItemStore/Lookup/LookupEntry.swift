/// One entry of the lookup. It has 28 bits of the hash of an identifier, or of a name in a directory, and the number of
/// the item that may match. Callers check the item's row, so outdated entries do no harm.
struct LookupEntry: RawRepresentable {
    let rawValue: UInt64

    init(rawValue: UInt64) { self.rawValue = rawValue }

    init(_ hash: UInt64, _ number: ItemNumber) {
        rawValue = hash & ~Self.numberMask | UInt64(bitPattern: number.rawValue) & Self.numberMask
    }

    /// The number of bits for the item number in an entry. No domain has more than 2³⁶ items.
    static let numberBits: UInt64 = 36
    static let numberMask: UInt64 = (1 << numberBits) - 1

    var number: ItemNumber { ItemNumber(rawValue: Int64(rawValue & Self.numberMask)) }

    func isOf(_ hash: UInt64) -> Bool { (rawValue ^ hash) >> Self.numberBits == 0 }

    /// Returns the bucket of a hash or an entry.
    ///
    /// - Parameter bits: The binary logarithm of the number of buckets.
    static func bucket(_ hashOrEntry: UInt64, bits: UInt64) -> UInt64 { hashOrEntry >> (64 - bits) }
}

/// The entries that are not in the buckets on disk yet, in a hash table in memory. Entries are never removed, because
/// the transaction that removes an item may be rolled back.
struct RecentEntries {
    /// The slots. The first bits of an entry determine its slot. If that slot is taken, the entry is in the next free
    /// one (linear probing). The entries are therefore almost sorted.
    private var slots: [UInt64]
    /// The number of bits of an entry below those that determine the slot.
    private let rest: UInt64
    private(set) var count = 0

    /// The value of a free slot. No entry equals it, because no item has the number 0.
    private static let empty: UInt64 = 0

    init() { self.init(slotBits: 10) }

    private init(slotBits: UInt64) {
        // An entry contains only the first bits of its hash, so the index of a slot cannot have more bits than that.
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

    /// Returns all entries in the order of their hashes.
    func sorted() -> [UInt64] {
        var entries: [UInt64] = []
        entries.reserveCapacity(count)
        for (index, entry) in slots.enumerated() where entry != Self.empty && slot(entry) <= index {
            entries.append(entry)
        }
        // The entries that wrapped around from the end to the beginning.
        for (index, entry) in slots.enumerated() where slot(entry) > index { entries.append(entry) }
        // Insertion sort: each entry is in its place or a few places beside it.
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
