/// Suggests a known word in place of a misspelled one.
package enum SpellingSuggestion {
    /// The maximum length, in letters, of a word that is compared. A longer word is hardly a misspelled known word, and
    /// comparing it is slow.
    private static let mostLetters = 64

    /// Returns the known word that is most similar to the given word, or `nil` if none is similar enough.
    ///
    /// Case and leading dashes are ignored. If no known word is similar enough, but the given word has at least two
    /// letters and is a prefix of exactly one known word, that known word is returned.
    package static func nearest(to word: String, among known: [String]) -> String? {
        let written = letters(of: word)
        guard !written.isEmpty, written.count <= mostLetters else { return nil }
        var best: (word: String, distance: Int)?
        for candidate in known {
            let meant = letters(of: candidate)
            let found = distance(from: written, to: meant)
            guard found <= reach(max(written.count, meant.count)) else { continue }
            if best.map({ found < $0.distance }) ?? true { best = (candidate, found) }
        }
        if let best { return best.word }
        guard written.count > 1 else { return nil }
        let begun = known.filter { letters(of: $0).starts(with: written) }
        return begun.count == 1 ? begun.first : nil
    }

    /// Returns an error message about an unknown word: the complaint, followed by a similar known word as a suggestion.
    /// If no known word is similar, the complaint stands alone, or before a list of all known words.
    ///
    /// - Parameters:
    ///   - complaint: the first part of the message, such as "there is no command 'statsu'".
    ///   - listing: whether to list the known words if none of them is similar.
    package static func sentence(
        _ complaint: String, about word: String, known: [String], listing: Bool = false
    ) -> String {
        if let meant = nearest(to: word, among: known) { return complaint + " (did you mean '\(meant)'?)" }
        guard listing, let last = known.last else { return complaint }
        let others = known.dropLast().joined(separator: ", ")
        return complaint + ": " + (others.isEmpty ? last : others + " or " + last)
    }

    private static func letters(of word: String) -> [Character] {
        Array(word.drop { $0 == "-" }.lowercased())
    }

    /// Returns the maximum edit distance at which a word of the given length still counts as similar.
    private static func reach(_ letters: Int) -> Int {
        switch letters {
        case ..<3: 0
        case ..<6: 1
        case ..<9: 2
        default: 3
        }
    }

    /// Returns the edit distance of two words: the minimum number of insertions, deletions and replacements of letters,
    /// and swaps of adjacent letters.
    static func distance(from one: [Character], to other: [Character]) -> Int {
        // The previous two rows of the table of distances between prefixes.
        var (before, last) = ([Int](), Array(0...other.count))
        for (row, letter) in one.enumerated() {
            var next = [row + 1]
            for (column, otherLetter) in other.enumerated() {
                var least = last[column] + (letter == otherLetter ? 0 : 1)
                least = min(least, last[column + 1] + 1, next[column] + 1)
                if row > 0, column > 0, letter == other[column - 1], one[row - 1] == otherLetter {
                    least = min(least, before[column - 1] + 1)
                }
                next.append(least)
            }
            (before, last) = (last, next)
        }
        return last[other.count]
    }
}
