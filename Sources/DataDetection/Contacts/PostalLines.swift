/// The parts of a text between commas and ends of lines. Addresses consist of such parts.
struct PostalLines {
    /// The maximum number of tokens in a part of an address.
    private static let longest = 12

    let text: DetectionText
    let tokens: Tokens
    /// The tokens of each part.
    private(set) var lines: [Range<Int>] = []

    init(_ text: DetectionText) {
        self.text = text
        tokens = Tokens(text)
        var start = 0
        for (index, token) in tokens.all.enumerated()
        where token.kind == .lineBreak || token.isSign(",") || token.isSign(";") {
            if start < index { lines.append(start..<index) }
            start = index + 1
        }
        if start < tokens.all.count { lines.append(start..<tokens.all.count) }
    }

    func string(_ range: Range<Int>) -> String {
        guard let first = tokens[range.lowerBound], let last = tokens[range.upperBound - 1], !range.isEmpty else {
            return ""
        }
        return text.string(first.range.lowerBound..<last.range.upperBound)
    }

    /// Whether the tokens are one to five capitalized words, as in the names of cities.
    func isCity(_ range: Range<Int>) -> Bool {
        guard (1...8).contains(range.count), let first = tokens[range.lowerBound], isCapitalized(first) else {
            return false
        }
        return range.allSatisfy { index in
            guard let token = tokens[index] else { return false }
            return token.kind == .word
                && (isCapitalized(token)
                    || ["of", "de", "la", "le", "am", "an", "der", "upon", "sur", "s"].contains(token.word))
                || token.isSign(".") || token.isSign("-") || token.isSign("'") || token.isSign("\u{2019}")
        } && range.count { tokens[$0]?.kind == .word } <= 5
    }

    private func isCapitalized(_ token: Token) -> Bool {
        token.kind == .word && token.text.unicodeScalars.first?.properties.isUppercase ?? false
    }

    /// Returns the street in a part; `nil` if there is none. A street has a word for a kind of street, and a house
    /// number at its start or, as in continental Europe, at its end. Preceding words of a sentence are left out.
    func street(in line: Range<Int>) -> Range<Int>? {
        let end = line.upperBound
        var start = end
        while start > line.lowerBound, end - start < Self.longest, let token = tokens[start - 1],
            isPartOfStreet(token, start - 1)
        {
            start -= 1
        }
        let range = start..<end
        guard range.contains(where: isKindOfStreet) else { return nil }
        // A house number at the start is tried first. The leftmost number begins the street.
        if let first = range.first(where: { tokens[$0]?.kind == .number }), isHouse(first), first < end - 1,
            (first + 1..<end).contains(where: isKindOfStreet)
        {
            return first..<end
        }
        guard let number = range.last(where: { tokens[$0]?.kind == .number }), isHouse(number), end - number <= 4,
            let name = range.first(where: { isKindOfStreet($0) || tokens[$0].map(isCapitalized) ?? false }),
            name < number
        else { return nil }
        return name..<end
    }

    private func isPartOfStreet(_ token: Token, _ index: Int) -> Bool {
        switch token.kind {
        case .number: token.digits <= 6
        case .word:
            isCapitalized(token) || tokens.touchesPrevious(index)
                || ["of", "de", "la", "le", "du", "des", "der", "den", "van", "del", "da", "do", "l", "d"].contains(
                    token.word)
                || PostalWords.streets.contains(token.word)
        case .sign: [".", "-", "'", "\u{2019}", "#", "/", "\u{2013}"].contains(token.text)
        case .lineBreak: false
        }
    }

    private func isKindOfStreet(_ index: Int) -> Bool {
        guard let token = tokens[index] else { return false }
        return PostalWords.streets.contains(token.word)
            || token.text.unicodeScalars.count > 5 && PostalWords.endings.contains { token.word.hasSuffix($0) }
    }

    private func isHouse(_ index: Int) -> Bool { tokens[index].map { (1...5).contains($0.digits) } ?? false }

    /// Returns the country after an address, in the same part or the next.
    func country(after end: Int) -> Range<Int>? {
        var start = end
        if let token = tokens[start], token.isSign(",") || token.kind == .lineBreak { start += 1 }
        for length in [4, 3, 2, 1] where tokens[start + length - 1] != nil {
            if PostalWords.countries.contains(string(start..<start + length).lowercased()) {
                return start..<start + length
            }
        }
        return nil
    }
}
