/// The detector of flights: an airline's designator, and one to four digits.
///
/// Two letters and some digits can mean many things. If a word such as "flight" stands at most 24 characters before
/// them, they count as a flight number. Otherwise there must be at least three digits, or two if they directly follow
/// two letters, and the designator must not be better known with another meaning.
///
/// Looks ahead from every beginning of a word by 9 characters, and back by 24.
///
/// Source: IATA, Standard Schedules Information Manual, chapter 2 (flight designator: two characters, one to four
/// digits, an operational suffix).
package enum FlightNumberDetector {
    package static func matches(in text: DetectionText) -> [DDMatchFlightNumber] {
        var matches: [DDMatchFlightNumber] = []
        var position = 0
        while position < text.count {
            guard let flight = flight(at: position, in: text) else {
                position += 1
                continue
            }
            let range = position..<flight.digits.upperBound
            matches.append(
                DDMatchFlightNumber(
                    text.string(range), airline: flight.airline, flightNumber: text.string(flight.digits)))
            position = range.upperBound
        }
        return matches
    }

    private static func flight(at start: Int, in text: DetectionText) -> (airline: String, digits: Range<Int>)? {
        guard let first = text[start], let second = text[start + 1], first.isCapital || first.isDigit,
            second.isCapital || second.isDigit, first.isCapital || second.isCapital, isBoundary(start - 1, in: text)
        else { return nil }
        let designator = text.string(start..<start + 2)
        guard let airline = Airlines.name(of: designator) else { return nil }
        let isSpaced = text[start + 2]?.isBlank ?? false
        let digits = text.run(from: isSpaced ? start + 3 : start + 2, limit: 5, while: \.isDigit)
        guard (1...4).contains(digits.count), ends(at: digits.upperBound, in: text) else { return nil }
        if isAnnounced(before: start, in: text) { return (airline, digits) }
        let isAttached = !isSpaced && first.isCapital && second.isCapital
        guard digits.count >= (isAttached ? 2 : 3), text[digits.lowerBound] != "0" || digits.count == 4 else {
            return nil
        }
        return Airlines.ambiguous.contains(designator) ? nil : (airline, digits)
    }

    private static func isBoundary(_ position: Int, in text: DetectionText) -> Bool {
        guard let before = text[position] else { return true }
        return !before.isLetterOrDigit && !"-_.+$€£@#".unicodeScalars.contains(before)
    }

    private static func ends(at position: Int, in text: DetectionText) -> Bool {
        guard let after = text[position] else { return true }
        if after.isLetterOrDigit || "-_%@€".unicodeScalars.contains(after) { return false }
        return !(".,:".unicodeScalars.contains(after) && (text[position + 1]?.isDigit ?? false))
    }

    private static let announcements: Set<String> = [
        "flight", "flights", "flug", "vol", "vuelo", "volo", "voo", "vlucht", "flying", "boarding", "airline",
    ]

    private static func isAnnounced(before start: Int, in text: DetectionText) -> Bool {
        let line = text.run(before: start, limit: 24) { !$0.isLineBreak }
        return text.scalars[line].split { !$0.isLetter }
            .contains { announcements.contains(String(String.UnicodeScalarView($0)).lowercased()) }
    }
}
