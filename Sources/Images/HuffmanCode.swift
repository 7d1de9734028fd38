/// Huffman codes: short codes for frequent symbols.
///
/// Source: RFC 1951, section 3.2.2.
enum HuffmanCode {
    /// Returns the length of each symbol's code in bits; 0 for a symbol that does not occur.
    ///
    /// - Parameter longest: the maximum length. 2 to the power of this length must exceed the number of symbols.
    static func lengths(for counts: [UInt32], longest: Int) -> [UInt8] {
        var lengths = [UInt8](repeating: 0, count: counts.count)
        let used = counts.indices.filter { counts[$0] > 0 }.sorted { counts[$0] < counts[$1] }
        guard used.count > 1 else {
            for symbol in used { lengths[symbol] = 1 }
            return lengths
        }
        var numbers = numbersOfLengths(used.map { Int(counts[$0]) })
        shorten(&numbers, to: longest)
        // The rarest symbols get the longest codes.
        var length = numbers.count - 1
        for symbol in used {
            while numbers[length] == 0 { length -= 1 }
            lengths[symbol] = UInt8(length)
            numbers[length] -= 1
        }
        return lengths
    }

    /// Returns one number for each symbol; 0 for a symbol without a code. The lower 16 bits contain the symbol's code,
    /// with its first bit as the lowest bit. The bits from 16 on contain the code's length.
    static func codes(of lengths: [UInt8]) -> [UInt64] {
        var numbers = [UInt64](repeating: 0, count: 16)
        for length in lengths where length > 0 { numbers[Int(length)] += 1 }
        var next = [UInt64](repeating: 0, count: 16)
        for length in 1..<16 { next[length] = (next[length - 1] + numbers[length - 1]) << 1 }
        return lengths.map { length in
            guard length > 0 else { return 0 }
            defer { next[Int(length)] += 1 }
            return reversed(next[Int(length)], UInt64(length)) | UInt64(length) << 16
        }
    }

    static func reversed(_ code: UInt64, _ count: UInt64) -> UInt64 {
        (0..<count).reduce(0) { $0 | (code >> $1 & 1) << (count - 1 - $1) }
    }

    /// Returns the number of codes of each length in an optimal tree.
    ///
    /// - Parameter weights: the frequencies of the symbols in ascending order, at least two.
    private static func numbersOfLengths(_ weights: [Int]) -> [Int] {
        // The weights of the leaves come first, then those of the inner nodes in the order of their creation. Both
        // parts are in ascending order.
        var weights = weights
        let leaves = weights.count
        var parents = [Int](repeating: 0, count: 2 * leaves - 1)
        var (leaf, node) = (0, leaves)
        while weights.count < 2 * leaves - 1 {
            var sum = 0
            for _ in 0..<2 {
                let takesLeaf = leaf < leaves && (node == weights.count || weights[leaf] <= weights[node])
                let least = takesLeaf ? leaf : node
                if takesLeaf { leaf += 1 } else { node += 1 }
                sum += weights[least]
                parents[least] = weights.count
            }
            weights.append(sum)
        }
        var depths = [Int](repeating: 0, count: parents.count)
        var numbers: [Int] = []
        for index in (0..<parents.count - 1).reversed() {
            depths[index] = depths[parents[index]] + 1
            guard index < leaves else { continue }
            while numbers.count <= depths[index] { numbers.append(0) }
            numbers[depths[index]] += 1
        }
        return numbers
    }

    /// Limits the length of codes to `longest` bits. Shorter codes are lengthened to make room for the codes that are
    /// shortened.
    private static func shorten(_ numbers: inout [Int], to longest: Int) {
        guard numbers.count > longest + 1 else { return }
        numbers[longest] += numbers[(longest + 1)...].reduce(0, +)
        numbers.removeSubrange((longest + 1)...)
        // The share of the code space that is taken, in units of the longest code.
        var taken = numbers.indices.dropFirst().reduce(0) { $0 + numbers[$1] << (longest - $1) }
        while taken > 1 << longest {
            // A shorter code is replaced by two codes that are one bit longer: one for the same symbol, and one for a
            // symbol that had one of the longest codes.
            numbers[longest] -= 1
            if let shorter = (1..<longest).last(where: { numbers[$0] > 0 }) {
                numbers[shorter] -= 1
                numbers[shorter + 1] += 2
            }
            taken -= 1
        }
    }
}
