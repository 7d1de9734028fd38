/// Accesses in the order in which their claims were made. A lookup takes logarithmic time. Most removals are near
/// either end, where they are cheap.
struct EntryQueue: Sendable {
    private var storage: [PathTree.Entry] = []
    /// The index of the first valid entry. The entries before it were removed.
    private var head = 0
    /// The common purpose of all entries, unless `isMixed`.
    private var purpose = ""
    private var isMixed = false

    var isEmpty: Bool { head == storage.endIndex }
    var all: ArraySlice<PathTree.Entry> { storage[head...] }

    func before(_ sequence: UInt64) -> ArraySlice<PathTree.Entry> { storage[head..<position(of: sequence, 0)] }

    /// Returns the entries whose claims have sequence numbers greater than `sequence` and at most `last`.
    func after(_ sequence: UInt64, through last: UInt64) -> ArraySlice<PathTree.Entry> {
        let start = position(of: sequence &+ 1, 0)
        return last == .max ? storage[start...] : storage[start..<max(start, position(of: last + 1, 0))]
    }

    /// Whether all entries belong to the given claim, or to claims with the given purpose.
    func isAlone(_ claim: ClaimIdentifier, of purpose: String) -> Bool {
        isEmpty || storage[head].claim == claim && storage.last?.claim == claim
            || !isMixed && self.purpose == purpose
    }

    mutating func insert(_ entry: PathTree.Entry) {
        if isEmpty {
            purpose = entry.purpose
            isMixed = false
        } else if !isMixed, purpose != entry.purpose {
            isMixed = true
        }
        // The position is nearly always the end. It is another one only if the claim's item has moved, or if a later
        // claim was granted first.
        let position = position(of: entry.sequence, entry.access)
        if position == storage.endIndex { storage.append(entry) } else { storage.insert(entry, at: position) }
    }

    mutating func remove(_ entry: PathTree.Entry) {
        let position = position(of: entry.sequence, entry.access)
        guard position < storage.endIndex, storage[position].sequence == entry.sequence,
            storage[position].access == entry.access
        else { return }
        if position - head > storage.endIndex - position {
            storage.remove(at: position)
        } else {
            for moved in stride(from: position, to: head, by: -1) { storage[moved] = storage[moved - 1] }
            head += 1
        }
        if isEmpty {
            storage.removeAll(keepingCapacity: head < 64)
            head = 0
        } else if head > 64, head > storage.count / 2 {
            storage.removeFirst(head)
            head = 0
        }
    }

    /// Returns the index of the given access in the claim with the given sequence number, or the index at which it
    /// would be inserted.
    private func position(of sequence: UInt64, _ access: Int) -> Int {
        var (low, high) = (head, storage.endIndex)
        // Most new entries are the latest.
        if let last = storage.last, !isEmpty, (last.sequence, last.access) < (sequence, access) { return high }
        while low < high {
            let middle = low + (high - low) / 2
            if (storage[middle].sequence, storage[middle].access) < (sequence, access) {
                low = middle + 1
            } else {
                high = middle
            }
        }
        return low
    }
}
