/// The file name patterns of all caches, made ready for fast matching.
///
/// Nearly every pattern is a suffix (`*.tar.gz`) or a whole name (`Makefile`). Both are found by hash while a name is
/// read once from its end: wherever the byte just read could start a suffix, the hash of what was read so far is looked
/// up. The few patterns of other shapes are tried one by one.
///
/// Patterns that ignore case are in lower case; a name is folded (ASCII only, as `update-mime-database` does) while it is
/// read, without a copy.
struct FileNameIndex: Sendable {
    /// A pattern, or one of several types that share it.
    struct Pattern: Sendable {
        /// Its letters without the star, in UTF-8.
        let text: [UInt8]
        let type: MIMETypeNames.ID
        /// 0 to 100; higher comes first.
        let weight: UInt8
        let isCaseSensitive: Bool
    }

    private let suffixes: TextTable
    private let literals: TextTable
    /// Patterns that are neither, the highest weight first, each with the bytes that a name needs to match it.
    private let globs: [(pattern: Pattern, needed: ByteSet)]
    /// For each byte whether some suffix starts with it.
    private let isFirstByte: [Bool]
    /// How many bytes at the end of a name matter to suffixes and literals.
    private let reach: Int

    /// Patterns in order of precedence.
    init(suffixes: [Pattern], literals: [Pattern], globs: [Pattern]) {
        self.suffixes = TextTable(suffixes)
        self.literals = TextTable(literals)
        self.globs = globs.enumerated().sorted { ($1.element.weight, $0.offset) < ($0.element.weight, $1.offset) }
            .map { ($0.element, ByteSet(neededFor: $0.element.text)) }
        var isFirstByte = Array(repeating: false, count: 256)
        for pattern in suffixes {
            if let byte = pattern.text.first { isFirstByte[Int(byte)] = true }
        }
        self.isFirstByte = isFirstByte
        self.reach = max(self.suffixes.longest, self.literals.longest)
    }

    /// The patterns that match a file name, without those that longer ones overrule.
    func match(_ name: UnsafeRawBufferPointer, into matches: inout GlobMatches) {
        var bytes = ByteSet()
        var hasUpperCase = false
        for byte in name {
            let folded = byte.foldedASCII
            bytes.insert(folded)
            if folded != byte { hasUpperCase = true }
        }
        if hasUpperCase {
            matchText(name, .folded, &matches)
            matchText(name, .exact, &matches)
        } else {
            matchText(name, .plain, &matches)
        }
        guard !matches.isLiteral else { return }
        // Only those that could still win are worth a try.
        for index in globs.indices where globs[index].needed.isSubset(of: bytes) {
            let glob = globs[index].pattern
            guard Int32(glob.weight) >= matches.bestWeight else { break }
            let isFolding = hasUpperCase && !glob.isCaseSensitive
            guard glob.text.withUnsafeBytes({ Wildcard.matches($0, name, foldingCase: isFolding) }) else { continue }
            matches.add(
                GlobMatches.Match(type: glob.type, weight: Int32(glob.weight), length: Int32(glob.text.count)))
        }
        matches.keepLongest()
    }

    /// The patterns that are exactly a suffix: for `.tar.gz` that of `*.tar.gz`, but not `*.gz`.
    func match(wholeSuffix suffix: UnsafeRawBufferPointer, into matches: inout GlobMatches) {
        let hasUpperCase = suffix.contains { $0 &- 0x41 < 26 }
        for pass in hasUpperCase ? [TextTable.Pass.folded, .exact] : [.plain] {
            var hash = TextTable.emptyHash
            for byte in suffix.reversed() { hash = TextTable.hash(hash, pass.folded(byte)) }
            suffixes.look(up: suffix, hash, pass) { matches.add(GlobMatches.Match($0, length: suffix.count)) }
        }
    }

    /// The extensions of a type: those of higher weight first, then by the alphabet.
    func extensions(of type: MIMETypeNames.ID) -> [String] {
        var found: [(weight: UInt8, name: String)] = []
        for (text, weight) in suffixes.patterns(of: type) where text.first == UInt8(ascii: ".") {
            let name = String(decoding: text.dropFirst(), as: UTF8.self)
            if !name.isEmpty, !found.contains(where: { $0.name == name }) { found.append((weight, name)) }
        }
        return found.sorted { ($1.weight, $0.name) < ($0.weight, $1.name) }.map(\.name)
    }

    @inline(__always)
    private func matchText(_ name: UnsafeRawBufferPointer, _ pass: TextTable.Pass, _ matches: inout GlobMatches) {
        var hash = TextTable.emptyHash
        var start = name.count
        let end = max(0, name.count - reach)
        while start > end {
            start -= 1
            let byte = pass.folded(name[start])
            hash = TextTable.hash(hash, byte)
            guard isFirstByte[Int(byte)] else { continue }
            suffixes.look(up: UnsafeRawBufferPointer(rebasing: name[start...]), hash, pass) {
                matches.add(GlobMatches.Match($0, length: name.count - start))
            }
        }
        guard start == 0 else { return }
        literals.look(up: name, hash, pass) { literal in
            // A literal name goes before every other pattern, whatever their weights.
            if !matches.isLiteral {
                matches = GlobMatches()
                matches.isLiteral = true
            }
            matches.add(GlobMatches.Match(literal, length: name.count))
        }
    }
}

/// Which bytes occur in a text, by their low six bits: says "no" for sure, and "yes" perhaps. Letters count as lower
/// case ones.
private struct ByteSet: Sendable {
    private var bits: UInt64 = 0

    init() {}

    /// The bytes that every name has that matches a pattern: those outside of wildcards.
    init(neededFor pattern: [UInt8]) {
        var isInBrackets = false
        for byte in pattern {
            switch byte {
            case UInt8(ascii: "["): isInBrackets = true
            case UInt8(ascii: "]"): isInBrackets = false
            case UInt8(ascii: "*"), UInt8(ascii: "?"), UInt8(ascii: "\\"): break
            default: if !isInBrackets { insert(byte.foldedASCII) }
            }
        }
    }

    @inline(__always)
    mutating func insert(_ byte: UInt8) { bits |= 1 << UInt64(byte & 63) }

    @inline(__always)
    func isSubset(of other: ByteSet) -> Bool { bits & ~other.bits == 0 }
}

extension GlobMatches.Match {
    @inline(__always)
    fileprivate init(_ value: FileNameIndex.TextTable.Value, length: Int) {
        self.init(type: value.type, weight: Int32(value.weight), length: Int32(truncatingIfNeeded: length))
    }
}
