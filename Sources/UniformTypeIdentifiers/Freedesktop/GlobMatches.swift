/// The patterns that match a file name, and the rule by which some of them count.
///
/// Room is limited, so that a lookup allocates nothing: a database has a handful of types for one extension, and
/// whatever comes after sixteen is not taken.
struct GlobMatches {
    struct Match {
        let type: MIMETypeNames.ID
        /// 0 to 100; higher comes first.
        let weight: Int32
        /// The length of the pattern in bytes.
        let length: Int32
    }

    private static let capacity = 16
    private var matches = InlineArray<16, Match>(repeating: Match(type: -1, weight: 0, length: 0))
    private(set) var count = 0
    /// The highest weight so far; -1 without a match.
    private(set) var bestWeight: Int32 = -1
    /// Set where a literal name matched: literals go before everything else.
    var isLiteral = false

    subscript(_ index: Int) -> Match { matches[index] }

    /// Adds a match in its place: by weight, then by length, then in the order of finding.
    mutating func add(_ match: Match) {
        guard match.type >= 0 else { return }
        for index in 0..<count where matches[index].type == match.type {
            // The same type by a second pattern: the better of the two stays.
            if !Self.precedes(match, matches[index]) { return }
            remove(at: index)
            break
        }
        var index = count
        while index > 0, Self.precedes(match, matches[index - 1]) { index -= 1 }
        guard index < Self.capacity else { return }
        if count < Self.capacity { count += 1 }
        var place = count - 1
        while place > index {
            matches[place] = matches[place - 1]
            place -= 1
        }
        matches[index] = match
        bestWeight = max(bestWeight, match.weight)
    }

    /// Drops what a longer pattern overrules: of `a.tar.gz`, `*.gz` is not asked any more. The best match comes first;
    /// others stay as alternatives, of lower weight too, for the content to decide between them.
    mutating func keepLongest() {
        guard count > 1 else { return }
        let length = matches[0].length
        var kept = 0
        for index in 0..<count where matches[index].length >= length {
            matches[kept] = matches[index]
            kept += 1
        }
        count = kept
    }

    private mutating func remove(at index: Int) {
        for place in index..<(count - 1) { matches[place] = matches[place + 1] }
        count -= 1
    }

    @inline(__always)
    private static func precedes(_ first: Match, _ second: Match) -> Bool {
        (first.weight, first.length) > (second.weight, second.length)
    }
}
