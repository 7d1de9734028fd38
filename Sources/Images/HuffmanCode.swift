/// Codes of few bits for what comes often.
///
/// Source: RFC 1951, section 3.2.2.
enum HuffmanCode {
    /// How many bits each symbol's code has; 0 for one that does not come.
    ///
    /// - Parameter longest: no code is longer; 2 to its power is more than there are symbols.
    static func lengths(for counts: [UInt32], longest: Int) -> [UInt8] {
        var lengths = [UInt8](repeating: 0, count: counts.count)
        let used = counts.indices.filter { counts[$0] > 0 }.sorted { counts[$0] < counts[$1] }
        guard used.count > 1 else {
            for symbol in used { lengths[symbol] = 1 }
            return lengths
        }
        var numbers = numbersOfLengths(used.map { Int(counts[$0]) })
        shorten(&numbers, to: longest)
        // The rarest have the longest.
        var length = numbers.count - 1
        for symbol in used {
            while numbers[length] == 0 { length -= 1 }
            lengths[symbol] = UInt8(length)
            numbers[length] -= 1
        }
        return lengths
    }

    /// The codes with their first bit lowest, and from bit 16 on how many bits they have.
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

    /// How many codes of each length an optimal tree has.
    ///
    /// - Parameter weights: rising, two or more.
    private static func numbersOfLengths(_ weights: [Int]) -> [Int] {
        // Leaves first, then the nodes in the order in which they are made, which is the order of their weights.
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

    /// Makes codes that are too long shorter, and others longer for it.
    private static func shorten(_ numbers: inout [Int], to longest: Int) {
        guard numbers.count > longest + 1 else { return }
        numbers[longest] += numbers[(longest + 1)...].reduce(0, +)
        numbers.removeSubrange((longest + 1)...)
        // What the codes take of all there is, in parts of the longest.
        var taken = numbers.indices.dropFirst().reduce(0) { $0 + numbers[$1] << (longest - $1) }
        while taken > 1 << longest {
            // Two of the longest in the place of one that is shorter: that one and another.
            numbers[longest] -= 1
            if let shorter = (1..<longest).last(where: { numbers[$0] > 0 }) {
                numbers[shorter] -= 1
                numbers[shorter + 1] += 2
            }
            taken -= 1
        }
    }
}
