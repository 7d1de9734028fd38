/// A set of types, stored as bits by their indexes. It has a bit for each of the system's types. For the other types,
/// it only has bits for the range of indexes that occur in the set.
///
/// Bundles may name thousands of types, most of which conform to the system's and to a few neighbours. If each set had
/// a bit for every type, the memory of all sets would grow with the square of the number of types.
package struct TypeSet: Sendable, Equatable {
    private let system: [UInt64]
    /// The words for the other types from ``start`` on, without the empty words at either end.
    private let others: [UInt64]
    private let start: Int

    /// The number of 64-bit words for the system's types.
    private static let systemWords = (CoreTypes.count + 63) / 64

    static let empty = TypeSet(row: [])

    /// Creates the set of the types whose bits are set.
    init(row: [UInt64]) {
        system = Array(row.prefix(Self.systemWords))
        let rest = row.dropFirst(Self.systemWords)
        let first = rest.firstIndex { $0 != 0 } ?? rest.endIndex
        let last = rest.lastIndex { $0 != 0 }.map { $0 + 1 } ?? first
        others = Array(rest[first..<last])
        start = others.isEmpty ? 0 : first
    }

    @inline(__always)
    func contains(_ index: Int) -> Bool {
        let word = index >> 6
        if word < system.count {
            return system[word] & (1 << UInt64(index & 63)) != 0
        }
        return isAmongOthers(index)
    }

    private func isAmongOthers(_ index: Int) -> Bool {
        let place = (index >> 6) - start
        return others.indices.contains(place) && others[place] & (1 << UInt64(index & 63)) != 0
    }

    /// Sets the bits of this set's types in `row`, which must be long enough.
    func add(to row: inout [UInt64]) {
        for (word, bits) in system.enumerated() { row[word] |= bits }
        for (word, bits) in others.enumerated() { row[start + word] |= bits }
    }
}
