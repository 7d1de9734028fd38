/// The file name patterns of all `mime.cache` files, prepared for fast matching.
///
/// Nearly every pattern is a suffix (`*.tar.gz`) or a whole name (`Makefile`). Both are found by hash while a name is
/// read once from its end: at each byte that can start a suffix, the hash of the bytes read so far is looked up. The
/// few patterns of other shapes are tried one by one.
///
/// Patterns that ignore case are in lower case. A name is folded (ASCII only, as `update-mime-database` does) while it
/// is read, without a copy.
struct FileNameIndex: Sendable {
    /// A pattern of one type. Several types may have the same pattern.
    struct Pattern: Sendable {
        /// The pattern in UTF-8, without the star at the start of a suffix.
        let text: [UInt8]
        let type: MIMETypeNames.ID
        /// The weight, 0 to 100; higher comes first.
        let weight: UInt8
        let isCaseSensitive: Bool
    }

    private let suffixes: TextTable
    private let literals: TextTable
    /// The patterns that are neither suffixes nor whole names, the highest weight first, each with the pairs of bytes
    /// that a matching name must contain.
    private let globs: [(pattern: Pattern, needed: PairSet)]
    /// For each value of a byte, whether any suffix starts with this byte.
    private let isFirstByte: [Bool]

    /// Creates the index from patterns in order of precedence.
    init(suffixes: [Pattern], literals: [Pattern], globs: [Pattern]) {
        self.suffixes = TextTable(suffixes)
        self.literals = TextTable(literals)
        self.globs = globs.enumerated().sorted { ($1.element.weight, $0.offset) < ($0.element.weight, $1.offset) }
            .map { ($0.element, PairSet(neededFor: $0.element.text)) }
        var isFirstByte = Array(repeating: false, count: 256)
        for pattern in suffixes {
            if let byte = pattern.text.first { isFirstByte[Int(byte)] = true }
        }
        self.isFirstByte = isFirstByte
    }

    /// The number of possible values of ``GlobMatches/solePattern``.
    var patternCount: Int { suffixes.textCount + literals.textCount }

    /// Collects the patterns that match a file name, without patterns that a longer matching pattern overrides.
    ///
    /// - Parameter path: the path, of which only the last component counts.
    /// - Returns: the last component.
    @discardableResult
    func match(_ path: UnsafeRawBufferPointer, into matches: inout GlobMatches) -> UnsafeRawBufferPointer {
        var pairs = PairSet()
        var hash = TextTable.emptyHash
        var pass = TextTable.Pass.plain
        var start = path.count
        var next: UInt8 = 0
        while start > 0, path[start &- 1] != UInt8(ascii: "/") {
            start &-= 1
            let folded = path[start].foldedASCII
            if folded != path[start] { pass = .folded }
            pairs.insert(folded, next)
            next = folded
            hash = TextTable.hash(hash, folded)
            if isFirstByte[Int(folded)] {
                suffixes.collect(UnsafeRawBufferPointer(rebasing: path[start...]), hash, pass, into: &matches)
            }
        }
        let name = UnsafeRawBufferPointer(rebasing: path[start...])
        collectLiterals(name, hash, pass, into: &matches)
        if pass == .folded { matchExactly(name, into: &matches) }
        if !matches.isLiteral {
            matchGlobs(name, pairs, hasUpperCase: pass == .folded, into: &matches)
            matches.keepLongest()
        }
        return name
    }

    /// Compares a name that contains upper-case letters with the patterns that respect case.
    private func matchExactly(_ name: UnsafeRawBufferPointer, into matches: inout GlobMatches) {
        var hash = TextTable.emptyHash
        var start = name.count
        while start > 0 {
            start -= 1
            hash = TextTable.hash(hash, name[start])
            if isFirstByte[Int(name[start])], !matches.isLiteral {
                suffixes.collect(UnsafeRawBufferPointer(rebasing: name[start...]), hash, .exact, into: &matches)
            }
        }
        collectLiterals(name, hash, .exact, into: &matches)
    }

    /// Tries the patterns that are neither suffixes nor whole names. Suffixes take precedence over such patterns of the
    /// same weight.
    @inline(__always)
    private func matchGlobs(
        _ name: UnsafeRawBufferPointer, _ pairs: PairSet, hasUpperCase: Bool, into matches: inout GlobMatches
    ) {
        let weight = matches.bestWeight
        for index in globs.indices {
            let glob = globs[index].pattern
            guard Int32(glob.weight) > weight else { break }
            guard globs[index].needed.isSubset(of: pairs) else { continue }
            let isFolding = hasUpperCase && !glob.isCaseSensitive
            guard glob.text.withUnsafeBytes({ Wildcard.matches($0, name, foldingCase: isFolding) }) else { continue }
            matches.add(
                GlobMatches.Match(
                    type: glob.type, weight: Int32(glob.weight), length: Int32(glob.text.count), pattern: -1))
        }
    }

    /// Collects the patterns that equal the whole name. They precede all other patterns, regardless of weight.
    @inline(__always)
    private func collectLiterals(
        _ name: UnsafeRawBufferPointer, _ hash: UInt32, _ pass: TextTable.Pass, into matches: inout GlobMatches
    ) {
        var found = GlobMatches()
        literals.collect(name, hash, pass, numberedFrom: suffixes.textCount, into: &found)
        guard found.count > 0 else { return }
        if !matches.isLiteral { matches = GlobMatches() }
        matches.isLiteral = true
        for index in 0..<found.count { matches.add(found[index]) }
    }

    /// Collects the patterns that consist of a star, a dot and the given extension: for `tar.gz`, `*.tar.gz` but not
    /// `*.gz`.
    func match(fileExtension name: UnsafeBufferPointer<UInt8>, into matches: inout GlobMatches) {
        guard name.contains(where: { $0 &- 0x41 < 26 }) else {
            return match(fileExtension: name, .plain, into: &matches)
        }
        match(fileExtension: name, .folded, into: &matches)
        match(fileExtension: name, .exact, into: &matches)
    }

    private func match(
        fileExtension name: UnsafeBufferPointer<UInt8>, _ pass: TextTable.Pass, into matches: inout GlobMatches
    ) {
        withUnsafeTemporaryAllocation(byteCount: name.count + 1, alignment: 1) { suffix in
            suffix[0] = UInt8(ascii: ".")
            var hash = TextTable.emptyHash
            for index in name.indices.reversed() {
                suffix[index + 1] = name[index]
                hash = TextTable.hash(hash, pass.folded(name[index]))
            }
            hash = TextTable.hash(hash, suffix[0])
            suffixes.collect(UnsafeRawBufferPointer(suffix), hash, pass, into: &matches)
        }
    }

    /// Returns the extensions of a type: those of higher weight first, then in alphabetical order.
    func extensions(of type: MIMETypeNames.ID) -> [String] {
        var found: [(weight: UInt8, name: String)] = []
        for (text, weight) in suffixes.patterns(of: type) where text.first == UInt8(ascii: ".") {
            let name = String(decoding: text.dropFirst(), as: UTF8.self)
            if !name.isEmpty, !found.contains(where: { $0.name == name }) { found.append((weight, name)) }
        }
        return found.sorted { ($1.weight, $0.name) < ($0.weight, $1.name) }.map(\.name)
    }
}

/// A Bloom filter of the pairs of adjacent bytes in a text, with a hash of six bits. A pair whose hash is absent is not
/// in the text. A pair whose hash is present may be in the text. Letters count as lower case.
private struct PairSet: Sendable {
    private var bits: UInt64 = 0

    init() {}

    /// Creates the set of the pairs that a name must contain to match the pattern: the pairs outside of wildcards.
    init(neededFor pattern: [UInt8]) {
        var isInBrackets = false
        var previous: UInt8?
        for byte in pattern {
            switch byte {
            case UInt8(ascii: "["): isInBrackets = true
            case UInt8(ascii: "]"): isInBrackets = false
            case UInt8(ascii: "*"), UInt8(ascii: "?"), UInt8(ascii: "\\"): break
            default:
                guard !isInBrackets else { continue }
                if let previous { insert(previous, byte.foldedASCII) }
                previous = byte.foldedASCII
                continue
            }
            previous = nil
        }
    }

    @inline(__always)
    mutating func insert(_ first: UInt8, _ second: UInt8) {
        bits |= 1 << UInt64((first &* 5 &+ second) & 63)
    }

    @inline(__always)
    func isSubset(of other: PairSet) -> Bool { bits & ~other.bits == 0 }
}
