import Glibc

extension MagicProgram {
    /// Returns the best rule that matches the content, as its index in ``rules``; `nil` if no rule matches.
    func bestRule(for content: UnsafeRawBufferPointer) -> Int? {
        guard let base = content.baseAddress, !content.isEmpty else { return nil }
        let best = bytes.withUnsafeBytes { values in
            matchlets.withUnsafeBufferPointer { matchlets in
                var search = Search(
                    base: base, count: content.count, values: values, matchlets: matchlets, best: rules.count)
                for index in tables.indices {
                    guard tables[index].offset < content.count else { break }
                    search.lookUp(tables[index])
                }
                lone.withUnsafeBufferPointer { search.tryFixed($0) }
                short.withUnsafeBufferPointer { short in
                    pairs.withUnsafeBufferPointer { pairs in
                        pairStarts.withUnsafeBufferPointer { search.scan(short, pairs, $0, end: shortEnd) }
                    }
                }
                long.withUnsafeBufferPointer { search.tryRanges($0) }
                return search.best
            }
        }
        return best < rules.count ? best : nil
    }

    /// The maximum number of steps of a search. It is hundreds of times as many as all rules of Debian's database need
    /// together. Without it, searching for nested long patterns in long ranges could take hours.
    private static let mostSteps = 1 << 25

    /// One search in the bytes of one file. Rules that are not better than the best match so far are not tried. After
    /// the maximum number of steps, no further match is found.
    private struct Search {
        let base: UnsafeRawPointer
        let count: Int
        let values: UnsafeRawBufferPointer
        let matchlets: UnsafeBufferPointer<Matchlet>
        var best: Int
        var steps = MagicProgram.mostSteps

        /// Reads the content's byte at the table's offset, and tries the patterns of the table that can start with this
        /// byte.
        @inline(__always)
        mutating func lookUp(_ table: Table) {
            let byte = Int(base.load(fromByteOffset: table.offset, as: UInt8.self))
            table.starts.withUnsafeBufferPointer { starts in
                let range = Int(starts[byte])..<Int(starts[byte + 1])
                guard !range.isEmpty else { return }
                table.entries.withUnsafeBufferPointer { tryFixed(UnsafeBufferPointer(rebasing: $0[range])) }
            }
        }

        /// Tries patterns that have one offset each.
        @inline(__always)
        mutating func tryFixed(_ entries: UnsafeBufferPointer<Entry>) {
            for entry in entries where Int(entry.rule) < best {
                let matchlet = Int(entry.matchlet)
                if isFound(matchlet, at: matchlets[matchlet].start), isWholeRule(matchlet) { best = Int(entry.rule) }
            }
        }

        /// Tries the patterns in short ranges in one pass. Nearly every position is dismissed by its first two bytes.
        mutating func scan(
            _ entries: UnsafeBufferPointer<Entry>, _ pairs: UnsafeBufferPointer<UInt64>,
            _ starts: UnsafeBufferPointer<Int32>, end: Int
        ) {
            let last = min(end, count - 1)
            guard last > 0, !entries.isEmpty else { return }
            var first = base.load(as: UInt8.self)
            for position in 0..<last {
                let second = base.load(fromByteOffset: position &+ 1, as: UInt8.self)
                let pair = Int(first) | Int(second) << 8
                if pairs[pair >> 6] & (1 << UInt64(truncatingIfNeeded: pair & 63)) != 0 {
                    let hash = MagicProgram.pairHash(first, second)
                    for index in Int(starts[hash])..<Int(starts[hash + 1]) {
                        let entry = entries[index]
                        let matchlet = Int(entry.matchlet)
                        guard Int(entry.rule) < best, position >= matchlets[matchlet].start,
                            position < matchlets[matchlet].end, isFound(matchlet, at: position),
                            isWholeRule(matchlet)
                        else { continue }
                        best = Int(entry.rule)
                    }
                }
                first = second
            }
        }

        /// Tries patterns that have a long range each.
        mutating func tryRanges(_ entries: UnsafeBufferPointer<Entry>) {
            for entry in entries where Int(entry.rule) < best {
                let matchlet = Int(entry.matchlet)
                if isFoundInRange(matchlet), isWholeRule(matchlet) { best = Int(entry.rule) }
            }
        }

        /// Whether the content has the pattern at the given offset.
        @inline(__always)
        private mutating func isFound(_ index: Int, at offset: Int) -> Bool {
            let prefix = matchlets[index].prefix
            let mask = matchlets[index].prefixMask
            let length = matchlets[index].length
            guard offset <= count &- length else { return false }
            if offset &+ 8 <= count {
                let word = UInt64(littleEndian: base.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
                guard word & mask == prefix else { return false }
                if length <= 8 { return true }
            }
            return isFoundWhole(index, at: offset)
        }

        /// Whether every byte of a pattern matches. The content must be long enough.
        private mutating func isFoundWhole(_ index: Int, at offset: Int) -> Bool {
            let matchlet = matchlets[index]
            guard take(matchlet.length) else { return false }
            let value = UnsafeRawBufferPointer(rebasing: values[matchlet.value..<matchlet.value + matchlet.length])
            guard matchlet.isMasked else {
                return value.baseAddress.map { memcmp(base + offset, $0, matchlet.length) == 0 } ?? false
            }
            let mask = matchlet.value + matchlet.length
            for place in 0..<matchlet.length {
                let byte = base.load(fromByteOffset: offset + place, as: UInt8.self)
                if byte & values[mask + place] != value[place] { return false }
            }
            return true
        }

        /// Whether the content has the pattern anywhere in the pattern's range.
        private mutating func isFoundInRange(_ index: Int) -> Bool {
            let matchlet = matchlets[index]
            let last = min(matchlet.end - 1, count - matchlet.length)
            guard matchlet.start <= last, take(last - matchlet.start + 1) else { return false }
            if matchlet.isMasked || matchlet.start == last {
                for position in matchlet.start...last where isFound(index, at: position) { return true }
                return false
            }
            // Searches for the pattern's rarest byte, to find positions that are worth a comparison.
            let byte = Int32(values[matchlet.value + matchlet.rarest])
            var position = matchlet.start
            while position <= last {
                let start = base + position + matchlet.rarest
                guard let hit = memchr(start, byte, last - position + 1) else { return false }
                position += UnsafeRawPointer(hit) - start
                if isFound(index, at: position) { return true }
                position += 1
            }
            return false
        }

        /// Whether the whole rule of a pattern that was found matches: the pattern has no children, or at least one of
        /// them matches, recursively.
        @inline(__always)
        private mutating func isWholeRule(_ index: Int) -> Bool {
            matchlets[index].childCount == 0 || hasMatchingChild(index)
        }

        private mutating func hasMatchingChild(_ index: Int) -> Bool {
            let first = matchlets[index].firstChild
            for child in first..<first + matchlets[index].childCount {
                guard take(1) else { return false }
                if isFoundInRange(child), isWholeRule(child) { return true }
            }
            return false
        }

        /// Subtracts `count` from the number of remaining steps. Returns `false` if no steps remain.
        @inline(__always)
        private mutating func take(_ count: Int) -> Bool {
            steps -= count
            return steps >= 0
        }
    }
}
