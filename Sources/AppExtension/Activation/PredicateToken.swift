/// A token of a predicate.
struct PredicateToken: Equatable {
    enum Kind: Equatable {
        case word(String)
        case variable(String)
        case text(String)
        case number(Double)
        case symbol(String)
        case end
    }

    let kind: Kind
    /// The position in characters, starting at 1.
    let position: Int

    /// The token's description in error messages.
    var name: String {
        switch kind {
        case .word(let word): "\"\(word)\""
        case .variable(let name): "\"$\(name)\""
        case .text(let text): "the text \"\(text)\""
        case .number(let number): "\(number)"
        case .symbol(let symbol): "\"\(symbol)\""
        case .end: "the end"
        }
    }

    private static let symbols = [
        "==", "!=", "<>", ">=", "=>", "<=", "=<", "&&", "||", "<<", ">>", "**", "=", "<", ">", "!", "(", ")", ",", ".",
        "@", "[", "]", "{", "}", "+", "-", "*", "/", "&", "|", "^", "~",
    ]

    static func tokens(of text: String) throws(ActivationRule.RuleError) -> [PredicateToken] {
        let characters = Array(text)
        var tokens: [PredicateToken] = []
        var index = 0
        func isWord(_ character: Character) -> Bool {
            character.isASCII && (character.isLetter || character.isNumber || "_-:".contains(character))
        }
        // Within a word, a hyphen (UTI-CONFORMS-TO) and a colon (modulus:by:) are part of it.
        func beginsWord(_ character: Character) -> Bool { isWord(character) && character != "-" && character != ":" }
        func isDigit(_ index: Int) -> Bool {
            index < characters.count && characters[index].isASCII && characters[index].isNumber
        }
        while index < characters.count {
            let character = characters[index]
            let position = index + 1
            if character.isWhitespace {
                index += 1
            } else if character == "\"" || character == "'" {
                guard let (text, end) = Self.text(in: characters, after: index) else {
                    throw .init("the text that begins at character \(position) does not end")
                }
                tokens.append(.init(kind: .text(text), position: position))
                index = end
            } else if isDigit(index) {
                let end =
                    characters[(index + 1)...].firstIndex { !($0.isASCII && ($0.isNumber || $0 == ".")) }
                    ?? characters.count
                guard let number = Double(String(characters[index..<end])) else {
                    throw .init("there is no number at character \(position)")
                }
                tokens.append(.init(kind: .number(number), position: position))
                index = end
            } else if character == "$" || beginsWord(character) {
                let start = character == "$" ? index + 1 : index
                let end = characters[start...].firstIndex { !isWord($0) } ?? characters.count
                let word = String(characters[start..<end])
                guard !word.isEmpty else { throw .init("a name is missing after \"$\" at character \(position)") }
                tokens.append(.init(kind: character == "$" ? .variable(word) : .word(word), position: position))
                index = end
            } else if let symbol = symbols.first(where: { characters[index...].starts(with: $0) }) {
                tokens.append(.init(kind: .symbol(symbol), position: position))
                index += symbol.count
            } else {
                let hint =
                    "\u{201C}\u{201D}\u{201E}\u{2018}\u{2019}".contains(character)
                    ? "; texts are quoted with \" or '" : ""
                throw .init("\"\(character)\" at character \(position) means nothing here\(hint)")
            }
        }
        tokens.append(.init(kind: .end, position: characters.count + 1))
        return tokens
    }

    /// Reads a text up to its closing quote. A backslash escapes a quote or a backslash, and `\n`, `\r` and `\t` stand
    /// for control characters. Before any other character, a backslash is part of the text, so that backslashes in
    /// patterns need not be doubled.
    ///
    /// - Returns: The text and the index after it; `nil` if the text has no closing quote.
    private static func text(in characters: [Character], after start: Int) -> (String, Int)? {
        let escapes: [Character: Character] = ["\\": "\\", "\"": "\"", "'": "'", "n": "\n", "r": "\r", "t": "\t"]
        var text = ""
        var index = start + 1
        while index < characters.count, characters[index] != characters[start] {
            if characters[index] == "\\", index + 1 < characters.count, let meant = escapes[characters[index + 1]] {
                text.append(meant)
                index += 2
            } else {
                text.append(characters[index])
                index += 1
            }
        }
        return index < characters.count ? (text, index + 1) : nil
    }
}
