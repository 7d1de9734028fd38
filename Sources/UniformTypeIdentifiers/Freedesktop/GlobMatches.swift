/// The patterns that match a file name, with the rules of their precedence.
///
/// Nearly every name has at most one match, which is stored in place: only names with several matches need an
/// allocation.
struct GlobMatches {
    struct Match {
        let type: MIMETypeNames.ID
        /// The weight, 0 to 100; higher comes first.
        let weight: Int32
        /// The length of the pattern in bytes.
        let length: Int32
        /// The number that identifies the pattern's text in the ``FileNameIndex``. It is -1 if the pattern is neither
        /// a suffix nor a whole name, or if other types have the same pattern but do not match, because their
        /// patterns treat case differently.
        let pattern: Int32
    }

    /// The best match; its type is -1 if there is none.
    private var best = Match(type: -1, weight: -1, length: 0, pattern: -1)
    /// The other matches, the best first.
    private var others: [Match] = []
    /// Whether a literal name matched. Literals precede all other patterns.
    var isLiteral = false

    /// The maximum number of matches. Real databases have fewer types for one name. Further matches are ignored.
    static let mostMatches = 64

    var count: Int { best.type < 0 ? 0 : others.count + 1 }

    /// The highest weight so far; -1 if there is no match.
    @inline(__always)
    var bestWeight: Int32 { best.weight }

    @inline(__always)
    subscript(_ index: Int) -> Match { index == 0 ? best : others[index - 1] }

    /// The number of the pattern that all matches share; `nil` if there is no match, if the matches have several
    /// patterns, or if the pattern has no number.
    @inline(__always)
    var solePattern: Int? {
        guard best.pattern >= 0, others.isEmpty || others.allSatisfy({ $0.pattern == best.pattern }) else { return nil }
        return Int(best.pattern)
    }

    /// Inserts a match. The matches are ordered by weight, then by length, then by the order of insertion.
    @inline(__always)
    mutating func add(_ match: Match) {
        if best.type < 0 || match.length > best.length && match.weight >= best.weight {
            // This match overrides all shorter matches; see keepLongest().
            guard match.type >= 0 else { return }
            best = match
            keepLongest()
        } else {
            insert(match)
        }
    }

    private mutating func insert(_ match: Match) {
        guard match.type >= 0 else { return }
        var all = [best] + others
        if let same = all.firstIndex(where: { $0.type == match.type }) {
            // Another pattern has matched for the same type already. The better of the two matches stays.
            guard Self.precedes(match, all[same]) else { return }
            all.remove(at: same)
        }
        all.insert(match, at: all.firstIndex { Self.precedes(match, $0) } ?? all.count)
        best = all[0]
        others = Array(all.dropFirst().prefix(Self.mostMatches))
    }

    /// Drops matches that a longer pattern overrides: for `a.tar.gz`, `*.gz` is dropped. The best match comes first.
    /// Other matches stay as alternatives, including those of lower weight, so that the content can decide between
    /// them.
    @inline(__always)
    mutating func keepLongest() {
        if !others.isEmpty { others.removeAll { $0.length < best.length } }
    }

    private static func precedes(_ first: Match, _ second: Match) -> Bool {
        (first.weight, first.length) > (second.weight, second.length)
    }
}
