import ItemProvider

/// A text in which patterns are looked for: its characters by position, and `nil` beyond either end, so that a detector may
/// look ahead and back without asking where the text ends.
struct DetectionText: Sendable {
    /// How many bytes of a text are looked at. What somebody copies to use its parts is far shorter.
    static let limit = 64 * 1024

    let scalars: [Unicode.Scalar]
    /// Whether these are all characters of the text. Otherwise nothing can be said about it as a whole.
    let isWhole: Bool
    /// Words, numbers and signs.
    let tokens: [Token]

    init(_ beginning: TextBeginning) {
        scalars = Array(beginning.text.unicodeScalars.prefix(Self.limit))
        isWhole = beginning.isWhole
        tokens = Token.tokens(of: scalars)
    }

    var count: Int { scalars.count }

    subscript(_ position: Int) -> Unicode.Scalar? {
        scalars.indices.contains(position) ? scalars[position] : nil
    }

    func string(_ range: Range<Int>) -> String {
        var string = String.UnicodeScalarView()
        string.append(contentsOf: scalars[range.clamped(to: scalars.indices)])
        return String(string)
    }

    /// The positions from `start` on whose characters satisfy a condition, at most `limit` of them.
    func run(from start: Int, limit: Int = .max, while condition: (Unicode.Scalar) -> Bool) -> Range<Int> {
        var end = start
        while end - start < limit, let scalar = self[end], condition(scalar) { end += 1 }
        return start..<end
    }

    /// The positions before `end` whose characters satisfy a condition, at most `limit` of them.
    func run(before end: Int, limit: Int, while condition: (Unicode.Scalar) -> Bool) -> Range<Int> {
        var start = end
        while end - start < limit, let scalar = self[start - 1], condition(scalar) { start -= 1 }
        return start..<end
    }

    /// The text without the white space around it.
    var trimmed: Range<Int> {
        let start = scalars.firstIndex { !$0.isSpace } ?? count
        let end = (scalars.lastIndex { !$0.isSpace } ?? start - 1) + 1
        return start..<end
    }
}

extension Unicode.Scalar {
    var isDigit: Bool { ("0"..."9").contains(self) }
    var isCapital: Bool { ("A"..."Z").contains(self) }
    var isASCIILetter: Bool { isCapital || ("a"..."z").contains(self) }
    var isLetter: Bool { isASCIILetter || (!isASCII && properties.isAlphabetic) }
    var isLetterOrDigit: Bool { isDigit || isLetter }
    var isLineBreak: Bool { self == "\n" || self == "\r" || self == "\u{2028}" || self == "\u{2029}" }
    var isSpace: Bool { self == " " || (isASCII ? ("\t"..."\r").contains(self) : properties.isWhitespace) }
    /// White space within a line.
    var isBlank: Bool { isSpace && !isLineBreak }
    var digitValue: Int? { isDigit ? Int(value) - 48 : nil }
}
