/// A word, a number or a sign of a text. A letter next to a digit begins a new token. White space does not belong to a
/// token, but the end of a line is a token.
struct Token: Sendable {
    enum Kind: Sendable {
        case word, number, sign, lineBreak
    }

    /// The maximum length of a token's text. No detector uses longer words and numbers.
    private static let longest = 40

    let kind: Kind
    let range: Range<Int>
    /// The text as it is written; empty if it is longer than the limit.
    let text: String

    /// The text in lowercase, for comparison.
    var word: String { kind == .word ? text.lowercased() : "" }

    /// The value of a number of at most nine digits; `nil` for any other token.
    var value: Int? { kind == .number && text.utf8.count < 10 ? Int(text) : nil }

    /// The number of digits of a number; 0 for any other token.
    var digits: Int { kind == .number ? range.count : 0 }

    func isSign(_ sign: String) -> Bool { kind == .sign && text == sign }

    /// Whether this token and the next are adjacent, without even white space between them.
    func touches(_ next: Token) -> Bool { range.upperBound == next.range.lowerBound }

    static func tokens(of scalars: [Unicode.Scalar]) -> [Token] {
        var tokens: [Token] = []
        var start = 0
        while start < scalars.count {
            let first = scalars[start]
            var end = start + 1
            let kind: Kind
            if first.isDigit {
                kind = .number
                while end < scalars.count, scalars[end].isDigit { end += 1 }
            } else if first.isLetter {
                kind = .word
                // An accent may be a separate character.
                while end < scalars.count, scalars[end].isLetter || scalars[end].isCombining { end += 1 }
            } else if first.isLineBreak {
                kind = .lineBreak
                while end < scalars.count, scalars[end].isSpace { end += 1 }
            } else {
                kind = .sign
            }
            if kind != .sign || !first.isSpace {
                tokens.append(Token(kind: kind, range: start..<end, text: string(scalars[start..<end])))
            }
            start = end
        }
        return tokens
    }

    private static func string(_ scalars: ArraySlice<Unicode.Scalar>) -> String {
        guard scalars.count <= longest else { return "" }
        var string = String.UnicodeScalarView()
        string.append(contentsOf: scalars)
        return String(string)
    }
}

extension Unicode.Scalar {
    fileprivate var isCombining: Bool { !isASCII && properties.canonicalCombiningClass != .notReordered }
}

/// Tokens by position; `nil` beyond either end.
struct Tokens: Sendable {
    let all: [Token]

    init(_ text: DetectionText) { all = text.tokens }

    subscript(_ position: Int) -> Token? { all.indices.contains(position) ? all[position] : nil }

    /// Whether the token at a position follows the previous one without any space.
    func touchesPrevious(_ position: Int) -> Bool {
        guard let token = self[position], let previous = self[position - 1] else { return false }
        return previous.touches(token)
    }
}
