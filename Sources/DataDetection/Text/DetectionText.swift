/// A text for detection: its characters by position, and `nil` beyond both ends. A detector may look ahead and back
/// without checking the bounds.
package struct DetectionText: Sendable {
    /// The maximum number of bytes of a text that are examined. Texts from which users need an address or another value
    /// are far shorter.
    package static let limit = 64 * 1024

    let scalars: [Unicode.Scalar]
    /// Whether all characters of the text are included. If not, detectors that examine the text as a whole find
    /// nothing.
    let isWhole: Bool
    /// The words, numbers and signs of the text.
    let tokens: [Token]

    /// Creates a text for detection from the beginning of a longer text, or from a whole text.
    package init(_ beginning: String, isWhole: Bool) {
        scalars = Array(beginning.unicodeScalars.prefix(Self.limit))
        self.isWhole = isWhole
        tokens = Token.tokens(of: scalars)
    }

    var count: Int { scalars.count }

    subscript(_ position: Int) -> Unicode.Scalar? {
        scalars.indices.contains(position) ? scalars[position] : nil
    }

    package func string(_ range: Range<Int>) -> String {
        var string = String.UnicodeScalarView()
        string.append(contentsOf: scalars[range.clamped(to: scalars.indices)])
        return String(string)
    }

    /// Returns the run of at most `limit` positions from `start` on whose characters satisfy the condition.
    func run(from start: Int, limit: Int = .max, while condition: (Unicode.Scalar) -> Bool) -> Range<Int> {
        var end = start
        while end - start < limit, let scalar = self[end], condition(scalar) { end += 1 }
        return start..<end
    }

    /// Returns the run of at most `limit` positions before `end` whose characters satisfy the condition.
    func run(before end: Int, limit: Int, while condition: (Unicode.Scalar) -> Bool) -> Range<Int> {
        var start = end
        while end - start < limit, let scalar = self[start - 1], condition(scalar) { start -= 1 }
        return start..<end
    }

    /// The range of the text without surrounding white space.
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
    /// Whether the character is white space within a line, and not a line break.
    var isBlank: Bool { isSpace && !isLineBreak }
    var digitValue: Int? { isDigit ? Int(value) - 48 : nil }
}
