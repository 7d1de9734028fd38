import Foundation

/// Numbers in usual notations: `1234`, `-1.5`, `1,234.56`, `1.234,56`, `1 234,56`, `1'234.56`, `12,34,567.89`,
/// `6.02e23`.
///
/// A separator that occurs several times, or before another one, groups digits by threes (or, with commas, by twos
/// before the last three, as in India). A single comma groups if exactly three digits follow one to three digits that
/// do not begin with zero; otherwise it is a decimal comma. A single point is a decimal point; in prices it groups as
/// the comma does.
///
/// Looks ahead by 40 characters; longer numbers do not count. Source: CLDR, number formats.
package struct NumberForm {
    private static let longest = 40

    let value: Double
    let end: Int

    /// Returns the number of which the whole text consists, apart from a sign and surrounding white space; `nil` if the
    /// text is not a number.
    package static func wholeText(_ text: DetectionText) -> Double? {
        let trimmed = text.trimmed
        guard text.isWhole, trimmed.count <= longest else { return nil }
        var start = trimmed.lowerBound
        let sign = text[start]
        let isNegative = sign == "-" || sign == "\u{2212}"
        if isNegative || sign == "+" { start += 1 }
        guard let number = NumberForm(text, at: start) else {
            // A number such as `.5` has no digit before its point. `Double` parses it.
            let string = text.string(start..<trimmed.upperBound)
            guard let first = string.first, first == ".", string.dropFirst().first?.isNumber == true else { return nil }
            return scientific(string, isNegative)
        }
        if number.end == trimmed.upperBound { return isNegative ? -number.value : number.value }
        guard text[number.end] == "e" || text[number.end] == "E" else { return nil }
        return scientific(text.string(start..<trimmed.upperBound), isNegative)
    }

    /// Parses a number that may have an exponent, such as `1.5e-3`. The letter of the exponent is the only letter that
    /// is accepted, because `Double` also parses `inf` and hexadecimal numbers.
    private static func scientific(_ string: String, _ isNegative: Bool) -> Double? {
        guard string.utf8.allSatisfy({ "0123456789.eE+-".utf8.contains($0) }), let value = Double(string),
            value.isFinite
        else { return nil }
        return isNegative ? -value : value
    }

    /// Reads the number that starts at a position; `nil` if there is none, or if it is only a part of a longer number.
    ///
    /// - Parameter isPrice: whether a point before three digits groups them.
    init?(_ text: DetectionText, at start: Int, isPrice: Bool = false) {
        var groups: [String] = []
        var separators: [Unicode.Scalar] = []
        var position = start
        while position - start <= Self.longest {
            let digits = text.run(from: position, limit: Self.longest, while: \.isDigit)
            guard !digits.isEmpty else { return nil }
            groups.append(text.string(digits))
            position = digits.upperBound
            guard let separator = text[position], let next = text[position + 1], next.isDigit else { break }
            guard Self.isSeparator(separator, at: position, in: text) else { break }
            separators.append(Self.kind(of: separator))
            position += 1
        }
        // A number that is longer than the limit is not read, and its beginning is not read as a number either.
        guard position - start <= Self.longest, text[position]?.isDigit != true,
            let value = Self.value(groups, separators, isPrice), value.isFinite
        else { return nil }
        self.value = value
        end = position
    }

    private static func isSeparator(_ scalar: Unicode.Scalar, at position: Int, in text: DetectionText) -> Bool {
        if scalar == "." || scalar == "," || scalar == "'" || scalar == "\u{2019}" { return true }
        guard scalar.isBlank, scalar != "\t" else { return false }
        // A space groups only if exactly three digits follow.
        return text.run(from: position + 1, limit: 4, while: \.isDigit).count == 3
    }

    private static func kind(of separator: Unicode.Scalar) -> Unicode.Scalar {
        if separator == "\u{2019}" { return "'" }
        return separator.isBlank ? " " : separator
    }

    private static func value(_ groups: [String], _ separators: [Unicode.Scalar], _ isPrice: Bool) -> Double? {
        guard let last = separators.last, let lastGroup = groups.last, let firstGroup = groups.first else {
            return Double(groups.joined())
        }
        let isDecimal: Bool
        if separators.count == 1 {
            let mayGroup = lastGroup.count == 3 && firstGroup.count <= 3 && !firstGroup.hasPrefix("0")
            isDecimal = last == "." ? !(mayGroup && isPrice) : last == "," ? !mayGroup : false
        } else {
            isDecimal = (last == "." || last == ",") && separators.dropLast().allSatisfy { $0 != last }
        }
        let whole = isDecimal ? groups.dropLast() : groups[...]
        let grouping = isDecimal ? separators.dropLast() : separators[...]
        guard Set(grouping).count <= 1, isGrouped(whole, by: grouping.first) else { return nil }
        return Double(whole.joined() + (isDecimal ? "." + lastGroup : ""))
    }

    private static func isGrouped(_ groups: ArraySlice<String>, by separator: Unicode.Scalar?) -> Bool {
        guard groups.count > 1, let first = groups.first, let last = groups.last else { return true }
        guard first.count <= 3, last.count == 3 else { return false }
        let inner = groups.dropFirst().dropLast()
        return inner.allSatisfy { $0.count == 3 }
            || (separator == "," && first.count <= 2 && inner.allSatisfy { $0.count == 2 })
    }
}
