/// The detector of postal addresses, which finds them by their postal codes. An address is a street with a number, a
/// city, and the postal code in the position that the country uses.
///
/// | country | form |
/// | --- | --- |
/// | United States | `350 5th Ave, Suite 3300, New York, NY 10118` |
/// | Canada | `111 Wellington St, Ottawa, ON K1A 0A9` |
/// | United Kingdom | `10 Downing Street, London SW1A 2AA` |
/// | continental Europe | `Unter den Linden 77, 10117 Berlin`, `5 rue de Rivoli, 75001 Paris` |
///
/// The parts are separated by commas or ends of lines, and a country may follow. Looks back from every postal code by
/// three such parts, of at most twelve words each, and ahead by a city and a country.
///
/// Sources: ``PostalWords``; British Standard 7666 (postcodes); USPS Publication 28.
package struct PostalAddressDetector {
    private let lines: PostalLines
    private let tokens: Tokens

    package static func matches(in text: DetectionText) -> [DDMatchPostalAddress] {
        let lines = PostalLines(text)
        let detector = PostalAddressDetector(lines: lines, tokens: lines.tokens)
        var matches: [DDMatchPostalAddress] = []
        var end = 0
        for (number, line) in lines.lines.enumerated() {
            var index = line.lowerBound
            while index < line.upperBound {
                let found = detector.address(with: index, inLine: number, from: end)
                if let found {
                    matches.append(DDMatchPostalAddress(lines.string(found.range), found.address))
                    end = found.range.upperBound
                }
                index = max(index + 1, end)
            }
        }
        return matches
    }

    private typealias Found = (address: PostalAddress, range: Range<Int>)

    private func address(with index: Int, inLine number: Int, from: Int) -> Found? {
        guard let token = tokens[index], token.kind != .sign, token.kind != .lineBreak else { return nil }
        let found =
            token.kind == .number
            ? american(index, number) ?? continental(index, number) : canadian(index, number) ?? british(index, number)
        guard let found, found.range.lowerBound >= from else { return nil }
        return found
    }

    // MARK: - Postal codes

    private func american(_ index: Int, _ number: Int) -> Found? {
        guard tokens[index]?.digits == 5 else { return nil }
        var end = index + 1
        if let hyphen = tokens[end], hyphen.isSign("-"), tokens.touchesPrevious(end), tokens[end + 1]?.digits == 4,
            tokens.touchesPrevious(end + 1)
        {
            end += 2
        }
        return withState(index..<end, number) { code, name in
            PostalWords.states.contains(code) || PostalWords.stateNames.contains(name.lowercased())
        }
    }

    private func canadian(_ index: Int, _ number: Int) -> Found? {
        guard let end = pattern([.word, .number, .word, .number, .word, .number], from: index) else { return nil }
        return withState(index..<end, number) { code, _ in PostalWords.provinces.contains(code) }
    }

    /// Reads a postcode such as SW1A 2AA or M1 1AE.
    private func british(_ index: Int, _ number: Int) -> Found? {
        guard let area = tokens[index], area.text.utf8.count <= 2, let district = tokens[index + 1],
            district.digits <= 2,
            tokens.touchesPrevious(index + 1), district.kind == .number
        else { return nil }
        var end = index + 2
        if let letter = tokens[end], letter.text.utf8.count == 1, letter.kind == .word, tokens.touchesPrevious(end) {
            end += 1
        }
        guard tokens[end]?.digits == 1, let unit = tokens[end + 1], unit.kind == .word, unit.text.utf8.count == 2,
            tokens.touchesPrevious(end + 1)
        else { return nil }
        end += 2
        guard
            (index..<end).allSatisfy({
                tokens[$0]?.text.unicodeScalars.allSatisfy { $0.isDigit || $0.isCapital } ?? false
            })
        else { return nil }
        let line = lines.lines[number]
        let (city, streetLine) = city(before: index, in: line, number)
        guard let city else { return nil }
        return make(city: city, state: nil, code: index..<end, streetLine: streetLine)
    }

    /// Reads a postal code of four or five digits before the city.
    private func continental(_ index: Int, _ number: Int) -> Found? {
        let line = lines.lines[number]
        guard let code = tokens[index], (4...5).contains(code.digits), index - line.lowerBound <= 2 else { return nil }
        // A country may precede the code, as in `D-10117` and `CH-8001`.
        let isPrefixed = index == line.lowerBound + 2
        if isPrefixed {
            guard let country = tokens[line.lowerBound], country.kind == .word, country.text.utf8.count <= 2,
                tokens[line.lowerBound + 1]?.isSign("-") ?? false
            else { return nil }
        } else if index != line.lowerBound {
            return nil
        }
        var codeEnd = index + 1
        // Two letters may be a part of the code, as in `1012 JS Amsterdam`.
        if code.digits == 4, let letters = tokens[codeEnd], letters.kind == .word, letters.text.utf8.count == 2,
            letters.text.unicodeScalars.allSatisfy(\.isCapital)
        {
            codeEnd += 1
        }
        var end = codeEnd
        while end < min(line.upperBound, codeEnd + 6), lines.isCity(codeEnd..<end + 1) { end += 1 }
        while end > codeEnd, tokens[end - 1]?.kind != .word { end -= 1 }
        guard end > codeEnd else { return nil }
        return make(city: codeEnd..<end, state: nil, code: line.lowerBound..<codeEnd, streetLine: number - 1)
    }

    // MARK: - Parts around the postal code

    /// Reads an address with a state before its postal code.
    private func withState(_ code: Range<Int>, _ number: Int, isState: (String, String) -> Bool) -> Found? {
        let line = lines.lines[number]
        var (end, number, lineStart) = (code.lowerBound, number, line.lowerBound)
        if end == lineStart {
            // The code may be in a separate part, as in `Cupertino, CA, 95014`.
            guard number > 0 else { return nil }
            number -= 1
            (lineStart, end) = (lines.lines[number].lowerBound, lines.lines[number].upperBound)
        }
        for length in [2, 1] where end - length >= lineStart {
            let state = end - length..<end
            guard isState(lines.string(state), lines.string(state)) else { continue }
            let (city, streetLine) = city(before: state.lowerBound, in: lineStart..<end, number)
            guard let city, let found = make(city: city, state: state, code: code, streetLine: streetLine) else {
                continue
            }
            return found
        }
        return nil
    }

    /// Returns the city before a position, in the same part of the text or in the previous part, and the number of the
    /// part that may contain the street.
    private func city(before end: Int, in line: Range<Int>, _ number: Int) -> (Range<Int>?, streetLine: Int) {
        if end > line.lowerBound {
            let city = line.lowerBound..<end
            return (lines.isCity(city) ? city : nil, number - 1)
        }
        guard number > 0 else { return (nil, 0) }
        let previous = lines.lines[number - 1]
        return (lines.isCity(previous) ? previous : nil, number - 2)
    }

    private func make(city: Range<Int>, state: Range<Int>?, code: Range<Int>, streetLine: Int) -> Found? {
        // Between the street and the city there may be an apartment, or a part of the city.
        for number in [streetLine, streetLine - 1] where lines.lines.indices.contains(number) {
            guard let street = lines.street(in: lines.lines[number]) else { continue }
            guard number == streetLine || lines.lines[streetLine].count <= 6 else { return nil }
            let country = lines.country(after: max(code.upperBound, city.upperBound))
            let end = country?.upperBound ?? max(code.upperBound, city.upperBound)
            let streetEnd = lines.lines[streetLine].upperBound
            return (
                PostalAddress(
                    street: lines.string(street.lowerBound..<streetEnd), city: lines.string(city),
                    state: state.map(lines.string), postalCode: lines.string(code), country: country.map(lines.string)),
                street.lowerBound..<end
            )
        }
        return nil
    }

    /// Matches single letters and digits in the given order. Returns the end of the match, or `nil` if the text does
    /// not match. A space may precede the fourth character.
    private func pattern(_ kinds: [Token.Kind], from start: Int) -> Int? {
        for (offset, kind) in kinds.enumerated() {
            guard let token = tokens[start + offset], token.kind == kind, token.range.count == 1 else { return nil }
            if offset > 0, offset != 3, !tokens.touchesPrevious(start + offset) { return nil }
        }
        return start + kinds.count
    }
}

/// The parts of a postal address.
struct PostalAddress: Equatable, Sendable {
    var street: String?
    var city: String?
    var state: String?
    var postalCode: String?
    var country: String?
}
