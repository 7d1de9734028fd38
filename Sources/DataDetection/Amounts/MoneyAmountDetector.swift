/// The detector of amounts of money: an amount with a currency's sign, code or name before or after it, as in
/// `$1,234.56`, `12,50 €`, `CHF 20.–`, `100 dollars`, `€1.5 million`.
///
/// `$` alone means the US dollar, and `¥` alone the Japanese yen: the text has no further information, and the result
/// should not depend on the user's locale. "Pounds" may be a weight, so pounds need the sign.
///
/// Looks ahead from every token by at most the 40 characters of an amount and two words.
///
/// Source: ISO 4217.
package enum MoneyAmountDetector {
    package static func matches(in text: DetectionText) -> [DDMatchMoneyAmount] {
        var matches: [DDMatchMoneyAmount] = []
        let tokens = Tokens(text)
        var end = 0
        for index in tokens.all.indices where tokens.all[index].range.lowerBound >= end {
            guard let sum = before(index, tokens, text) ?? behind(index, tokens, text) else { continue }
            matches.append(DDMatchMoneyAmount(text.string(sum.range), currency: sum.currency, amount: sum.amount))
            end = sum.range.upperBound
        }
        return matches
    }

    private struct Sum {
        let currency: String
        let amount: Double
        let range: Range<Int>
    }

    // MARK: - The currency before the amount

    private static func before(_ index: Int, _ tokens: Tokens, _ text: DetectionText) -> Sum? {
        guard let first = tokens[index], first.kind == .word || first.kind == .sign else { return nil }
        guard isBoundary(first.range.lowerBound - 1, in: text) else { return nil }
        var start = first.range.lowerBound
        let currency: (code: String, end: Int)
        if first.kind == .sign, let code = Currencies.code(sign: first.text, prefix: "") {
            currency = (code, first.range.upperBound)
        } else if let sign = tokens[index + 1], first.touches(sign), sign.kind == .sign, first.kind == .word,
            let code = Currencies.code(sign: sign.text, prefix: first.text)
        {
            currency = (code, sign.range.upperBound)
        } else if Currencies.isCode(first.text) {
            currency = (first.text, first.range.upperBound)
        } else {
            return nil
        }
        var position = text.run(from: currency.end, limit: 2, while: \.isBlank).upperBound
        let isNegative = isMinus(text[start - 1]) || isMinus(text[position])
        if isMinus(text[position]) { position += 1 } else if isNegative { start -= 1 }
        guard let amount = Amount(text, at: position) else { return nil }
        if Currencies.words.contains(first.text), !amount.hasSeparator { return nil }
        return Sum(
            currency: currency.code, amount: isNegative ? -amount.value : amount.value, range: start..<amount.end)
    }

    // MARK: - The currency behind the amount

    private static func behind(_ index: Int, _ tokens: Tokens, _ text: DetectionText) -> Sum? {
        guard let first = tokens[index], first.kind == .number, isBoundary(first.range.lowerBound - 1, in: text) else {
            return nil
        }
        let isNegative = isMinus(text[first.range.lowerBound - 1])
        guard let amount = Amount(text, at: first.range.lowerBound) else { return nil }
        let position = text.run(from: amount.end, limit: 2, while: \.isBlank).upperBound
        guard let scalar = text[position] else { return nil }
        let start = isNegative ? first.range.lowerBound - 1 : first.range.lowerBound
        let value = isNegative ? -amount.value : amount.value
        if !scalar.isLetter {
            // In `5 $10`, the sign belongs to the second number.
            guard let code = Currencies.code(sign: String(scalar), prefix: ""), !(text[position + 1]?.isDigit ?? false)
            else {
                return nil
            }
            return Sum(currency: code, amount: value, range: start..<position + 1)
        }
        let word = text.run(from: position, limit: 12, while: \.isLetter)
        let name = text.string(word)
        if let after = text[word.upperBound], after.isLetterOrDigit || after == "$" { return nil }
        if Currencies.isCode(name), !Currencies.words.contains(name) || amount.hasSeparator {
            return Sum(currency: name, amount: value, range: start..<word.upperBound)
        }
        guard let code = Currencies.code(name: name.lowercased()) else { return nil }
        return Sum(currency: code, amount: value, range: start..<word.upperBound)
    }

    // MARK: - Amounts

    private static func isMinus(_ scalar: Unicode.Scalar?) -> Bool { scalar == "-" || scalar == "\u{2212}" }

    private static func isBoundary(_ position: Int, in text: DetectionText) -> Bool {
        guard let before = text[position] else { return true }
        // A hyphen is a minus sign only if no word precedes it.
        if isMinus(before) { return text[position - 1].map { $0.isSpace || $0 == "(" } ?? true }
        return !before.isLetterOrDigit && !"._,'/@#&=".unicodeScalars.contains(before)
    }

    /// An amount, with the word or letter that multiplies it.
    private struct Amount {
        var value: Double
        var end: Int
        let hasSeparator: Bool

        private static let factors = [
            "thousand": 1e3, "k": 1e3, "million": 1e6, "millions": 1e6, "m": 1e6, "mio": 1e6, "millionen": 1e6,
            "mn": 1e6,
            "billion": 1e9, "billions": 1e9, "bn": 1e9, "b": 1e9, "mrd": 1e9, "trillion": 1e12,
        ]

        init?(_ text: DetectionText, at position: Int) {
            guard let number = NumberForm(text, at: position, isPrice: true) else { return nil }
            value = number.value
            end = number.end
            hasSeparator = text.scalars[position..<end].contains { !$0.isDigit }
            multiply(in: text)
            // In the Swiss form of a round amount, a dash stands in place of the decimals, as in `20.–`.
            if let dot = text[end], dot == "." || dot == ",", let dash = text[end + 1],
                "-\u{2013}\u{2014}".unicodeScalars.contains(dash),
                !(text[end + 2]?.isLetterOrDigit ?? false)
            {
                end += 2
            }
            guard let after = text[end] else { return }
            if after == "%" || after.isDigit { return nil }
        }

        private mutating func multiply(in text: DetectionText) {
            let blank = text.run(from: end, limit: 1, while: \.isBlank).upperBound
            let word = text.run(from: blank, limit: 10, while: \.isLetter)
            let name = text.string(word).lowercased()
            guard let factor = Self.factors[name], !(text[word.upperBound]?.isLetterOrDigit ?? false) else { return }
            // A short multiplier such as `m` must follow the number directly, because "5 m" is a length.
            guard name.utf8.count > 3 || blank == end || name == "mio" || name == "mrd" || name == "bn" else { return }
            value *= factor
            end = word.upperBound
        }
    }
}
