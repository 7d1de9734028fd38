/// Reading of the rules from the caches, and building of the indexes.
extension MagicProgram {
    /// The maximum end offset of a short range. All short ranges are searched in one pass.
    private static let shortRange = 512
    /// The maximum depth of nesting. No real rule is nested more deeply. A hostile rule could otherwise exhaust the
    /// stack.
    private static let deepestNesting = 16
    /// The maximum number of matchlets, fourteen times as many as in Debian's database.
    private static let mostMatchlets = 1 << 14
    /// The maximum number of bytes with which an indexed pattern can start. A masked pattern that can start with more
    /// bytes is not indexed by its first byte.
    private static let mostFirstBytes = 16
    /// The value that update-mime-database writes for `magic-deleteall`.
    private static let noMagic = "__NOMAGIC__"

    /// Compiles the rules of several caches, the one of highest precedence first.
    init(_ caches: [(file: MIMECache, types: MIMECacheTypes)]) {
        var found: [(rule: Rule, matchlets: Range<Int>)] = []
        var withoutEarlierMagic: Set<MIMETypeNames.ID> = []
        for (file, types) in caches {
            let list = file.offset(of: .magic)
            let first = file.word(list + 8)
            var budget = Budget(glances: Self.mostMatchlets, matchlets: Self.mostMatchlets, bytes: file.count)
            var deleted: Set<MIMETypeNames.ID> = []
            for entry in 0..<min(file.fitting(file.word(list), at: first, size: 16), MIMECache.mostEntries) {
                let place = first + 16 * entry
                let type = types.offsets[file.word(place + 4)]
                guard type >= 0, !withoutEarlierMagic.contains(type) else { continue }
                if asksToForget(file, place, budget: &budget) { deleted.insert(type) }
                let top = compile(
                    file, first: file.word(place + 12), count: file.word(place + 8), depth: 0, budget: &budget)
                guard let top, !top.isEmpty else { continue }
                found.append((Rule(type: type, priority: Int32(clamping: file.word(place))), top))
            }
            withoutEarlierMagic.formUnion(deleted)
        }
        // Swift's sort is made stable by comparing the positions of equal elements.
        let order = found.indices.sorted { first, second in
            (found[second].rule.priority, first) < (found[first].rule.priority, second)
        }
        rules = order.map { found[$0].rule }
        buildIndexes(order.map { found[$0].matchlets })
    }

    /// Whether a rule contains the matchlet that update-mime-database writes for `magic-deleteall`.
    private func asksToForget(_ file: MIMECache, _ match: Int, budget: inout Budget) -> Bool {
        let matchlets = file.word(match + 12)
        let count = min(file.fitting(file.word(match + 8), at: matchlets, size: 32), budget.glances)
        budget.glances -= count
        return (0..<count).contains { index in
            let place = matchlets + 32 * index
            return file.bytes(file.word(place + 16), count: file.word(place + 12))?.elementsEqual(Self.noMagic.utf8)
                ?? false
        }
    }

    /// The remaining budget for reading one cache. A real cache contains each matchlet, value and mask once, so that
    /// together they are not larger than the file. In a hostile cache, matchlets that refer to the same bytes, or to
    /// each other, could have any total size.
    private struct Budget {
        /// The number of matchlets that may still be compared with ``noMagic``.
        var glances: Int
        /// The number of matchlets that may still be copied.
        var matchlets: Int
        /// The number of bytes of values and masks that may still be copied.
        var bytes: Int
    }

    /// Copies matchlets and their children. Returns `nil` if they are nested too deeply or exceed the budget. A
    /// malformed matchlet never matches and is left out.
    private mutating func compile(
        _ file: MIMECache, first: Int, count: Int, depth: Int, budget: inout Budget
    ) -> Range<Int>? {
        let count = file.fitting(count, at: first, size: 32)
        guard depth < Self.deepestNesting, count <= budget.matchlets else { return nil }
        budget.matchlets -= count
        var level: [Matchlet] = []
        for index in 0..<count {
            let place = first + 32 * index
            let childCount = file.word(place + 24)
            guard var matchlet = read(file, place, budget: &budget) else { continue }
            if childCount > 0 {
                let children = compile(
                    file, first: file.word(place + 28), count: childCount, depth: depth + 1, budget: &budget)
                guard let children else { return nil }
                // A matchlet whose children cannot match cannot match either.
                guard !children.isEmpty else { continue }
                matchlet.firstChild = children.lowerBound
                matchlet.childCount = children.count
            }
            level.append(matchlet)
        }
        let start = matchlets.count
        matchlets += level
        return start..<matchlets.count
    }

    /// Reads one matchlet without its children. Returns `nil` if it is malformed, or exceeds the budget.
    private mutating func read(_ file: MIMECache, _ place: Int, budget: inout Budget) -> Matchlet? {
        let start = file.word(place)
        let range = file.word(place + 4)
        let wordSize = file.word(place + 8)
        let length = file.word(place + 12)
        let maskOffset = file.word(place + 20)
        guard length > 0, range > 0, let value = file.bytes(file.word(place + 16), count: length) else { return nil }
        let mask = maskOffset == 0 ? nil : file.bytes(maskOffset, count: length)
        if maskOffset != 0, mask == nil { return nil }
        let cost = mask == nil ? length : 2 * length
        guard cost <= budget.bytes else { return nil }
        budget.bytes -= cost
        let swapped = { (index: Int) -> Int in
            // A value with a word size above 1 matches words in this machine's byte order, and is stored in big-endian.
            guard 1.littleEndian == 1, wordSize == 2 || wordSize == 4, length % wordSize == 0 else { return index }
            return index / wordSize * wordSize + (wordSize - 1 - index % wordSize)
        }
        var matchlet = Matchlet(
            start: start, range: range, value: bytes.count, length: length, isMasked: mask != nil, prefix: 0,
            prefixMask: 0, rarest: 0, firstChild: 0, childCount: 0)
        for index in 0..<length { bytes.append(value[swapped(index)] & (mask?[swapped(index)] ?? 0xFF)) }
        if let mask { for index in 0..<length { bytes.append(mask[swapped(index)]) } }
        for index in 0..<min(8, length) {
            matchlet.prefix |= UInt64(bytes[matchlet.value + index]) << UInt64(8 * index)
            matchlet.prefixMask |= UInt64(mask?[swapped(index)] ?? 0xFF) << UInt64(8 * index)
        }
        matchlet.rarest = (0..<length).max { Self.rarity(value[$0]) < Self.rarity(value[$1]) } ?? 0
        extent = max(extent, start + range - 1 + length)
        return matchlet
    }

    /// Returns a rough rank of a byte's rarity in files: bytes that are common in text and binary data have the lowest
    /// rank.
    private static func rarity(_ byte: UInt8) -> Int {
        switch byte {
        case 0, UInt8(ascii: " "), UInt8(ascii: "e"), UInt8(ascii: "t"): 0
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "\n"): 1
        case UInt8(ascii: "0")...UInt8(ascii: "9"), 0xFF, 1: 2
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), 0x21...0x2F: 3
        default: 4
        }
    }

    private mutating func buildIndexes(_ tops: [Range<Int>]) {
        var fixed: [Int: [Entry]] = [:]
        for (rule, range) in tops.enumerated() {
            for index in range {
                let matchlet = matchlets[index]
                let entry = Entry(rule: Int32(rule), matchlet: Int32(index))
                if matchlet.range == 1, Self.firstByteCount(of: matchlet) > Self.mostFirstBytes {
                    lone.append(entry)
                } else if matchlet.range == 1 {
                    fixed[matchlet.start, default: []].append(entry)
                } else if matchlet.end <= Self.shortRange, matchlet.length >= 2, !matchlet.isMasked {
                    short.append(entry)
                } else {
                    long.append(entry)
                }
            }
        }
        for (offset, entries) in fixed.sorted(by: { $0.key < $1.key }) {
            if entries.count > 3 {
                tables.append(table(offset, entries))
            } else {
                lone += entries
            }
        }
        buildPairs()
    }

    /// Returns the number of bytes that a pattern can start with.
    private static func firstByteCount(of matchlet: Matchlet) -> Int {
        1 << (~UInt8(truncatingIfNeeded: matchlet.prefixMask)).nonzeroBitCount
    }

    /// Returns a table of the entries for an offset, sorted by the bytes with which their patterns can start. A pattern
    /// that starts with a masked byte is entered for several bytes.
    private func table(_ offset: Int, _ entries: [Entry]) -> Table {
        var byByte: [[Entry]] = Array(repeating: [], count: 256)
        for entry in entries {
            let matchlet = matchlets[Int(entry.matchlet)]
            let value = UInt8(truncatingIfNeeded: matchlet.prefix)
            let mask = UInt8(truncatingIfNeeded: matchlet.prefixMask)
            if mask == 0xFF {
                byByte[Int(value)].append(entry)
            } else {
                for byte in 0...UInt8.max where byte & mask == value { byByte[Int(byte)].append(entry) }
            }
        }
        var table = Table(offset: offset, starts: [0], entries: [])
        table.starts.reserveCapacity(257)
        for entries in byByte {
            table.entries += entries
            table.starts.append(Int32(table.entries.count))
        }
        return table
    }

    private mutating func buildPairs() {
        let hash = { (entry: Entry, matchlets: [Matchlet]) -> Int in
            let prefix = matchlets[Int(entry.matchlet)].prefix
            return Self.pairHash(UInt8(truncatingIfNeeded: prefix), UInt8(truncatingIfNeeded: prefix >> 8))
        }
        let matchlets = matchlets
        short.sort { (hash($0, matchlets), $0.rule) < (hash($1, matchlets), $1.rule) }
        pairs = Array(repeating: 0, count: 1024)
        pairStarts = Array(repeating: 0, count: 257)
        for entry in short {
            let matchlet = matchlets[Int(entry.matchlet)]
            let pair = Int(matchlet.prefix & 0xFFFF)
            pairs[pair >> 6] |= 1 << UInt64(pair & 63)
            pairStarts[hash(entry, matchlets) + 1] += 1
            shortEnd = max(shortEnd, matchlet.end)
        }
        for index in 1...256 { pairStarts[index] += pairStarts[index - 1] }
    }
}
