/// The detector of phone numbers: runs of digits with the separators that ITU-T E.123 and national customs allow, and
/// an extension after them.
///
/// ``PhoneNumberForm`` decides which runs are numbers. A run that is too long for a number is skipped as a whole. Looks
/// ahead by 16 characters for an extension, and back by 24 for a word such as "tel".
///
/// Sources: ITU-T E.164 (at most 15 digits), ITU-T E.123 (notation), RFC 3966 section 5.1.1 (visual separators).
package enum PhoneNumberDetector {
    private static let longest = 40

    package static func matches(in text: DetectionText) -> [DDMatchPhoneNumber] {
        var matches: [DDMatchPhoneNumber] = []
        var position = 0
        while position < text.count {
            guard begins(at: position, in: text) else {
                position += 1
                continue
            }
            let run = PhoneNumberRun(text, from: position)
            if run.range.count <= longest, !isPartOfMore(run.range, in: text),
                PhoneNumberForm.isNumber(run, isAnnounced: isAnnounced(before: position, in: text))
            {
                let range = position..<endOfExtension(from: run.range.upperBound, in: text)
                let label = ContactLabel.before(position, in: text)
                matches.append(DDMatchPhoneNumber(text.string(range), label: label))
                position = range.upperBound
            } else {
                // A bracket may be around the number instead of in it.
                let mayBeAround = text[position] == "(" && run.range.count <= longest
                position = mayBeAround ? position + 1 : max(run.range.upperBound, position + 1)
            }
        }
        return matches
    }

    private static func begins(at position: Int, in text: DetectionText) -> Bool {
        guard let first = text[position], first.isDigit || first == "+" || first == "(" else { return false }
        guard first.isDigit || text.run(from: position + 1, limit: 3, while: { !$0.isDigit }).count < 3 else {
            return false
        }
        guard let before = text[position - 1] else { return true }
        if before.isLetterOrDigit || "+-_#=&@/\\%$€£¥".unicodeScalars.contains(before) { return false }
        // After a digit and a point or comma, the digits are the rest of a number such as 0.25 or 1,234.
        return !(before == "." || before == ",") || !(text[position - 2]?.isDigit ?? false)
    }

    private static func isPartOfMore(_ range: Range<Int>, in text: DetectionText) -> Bool {
        guard let after = text[range.upperBound] else { return false }
        if after == "x" || after == "X" { return !(text[range.upperBound + 1]?.isDigit ?? false) }
        if after.isLetterOrDigit || "%@_€$£".unicodeScalars.contains(after) { return true }
        return ":,./-".unicodeScalars.contains(after) && (text[range.upperBound + 1]?.isDigit ?? false)
    }

    private static let announcements: Set<String> = [
        "tel", "telephone", "phone", "call", "fax", "mobile", "cell", "telefon", "tél", "téléphone", "teléfono",
        "telefono",
        "handy", "mobil", "whatsapp", "sms", "ph",
    ]

    private static func isAnnounced(before position: Int, in text: DetectionText) -> Bool {
        let line = text.run(before: position, limit: 24) { !$0.isLineBreak }
        guard let word = text.scalars[line].split(whereSeparator: { !$0.isLetter }).last else { return false }
        let gap = text.scalars[word.endIndex..<position]
        return gap.allSatisfy { $0.isBlank || ".:(#".unicodeScalars.contains($0) }
            && announcements.contains(String(String.UnicodeScalarView(word)).lowercased())
    }

    private static func endOfExtension(from end: Int, in text: DetectionText) -> Int {
        var position = text.run(from: end, limit: 2) { $0.isBlank || $0 == "," }.upperBound
        let word = text.run(from: position, limit: 10) { $0.isASCIILetter || $0 == "#" }
        guard ["x", "ext", "extension", "#", "durchwahl", "poste"].contains(text.string(word).lowercased()) else {
            return end
        }
        position = text.run(from: word.upperBound, limit: 2) { $0.isBlank || $0 == "." || $0 == ":" }.upperBound
        let digits = text.run(from: position, limit: 7, while: \.isDigit)
        return (1...6).contains(digits.count) ? digits.upperBound : end
    }
}

/// A run of digits with the separators between them.
struct PhoneNumberRun {
    private(set) var range: Range<Int>
    /// Whether the run begins with a plus sign.
    let isInternational: Bool
    private(set) var groups: [String] = []
    /// The separators between the groups. There is one separator fewer than groups.
    private(set) var separators: [String] = []
    /// Whether all brackets are matched and none is nested.
    private(set) var isBalanced = true
    /// Whether the first group of a national number is in brackets.
    private(set) var hasAreaInBrackets = false

    private static let longestSeparator = 3

    init(_ text: DetectionText, from start: Int) {
        isInternational = text[start] == "+"
        range = start..<start
        var position = isInternational ? start + 1 : start
        var depth = 0
        var separator = String.UnicodeScalarView()
        while let scalar = text[position] {
            if scalar.isDigit {
                let digits = text.run(from: position, while: \.isDigit)
                if !groups.isEmpty { separators.append(String(separator)) }
                if groups.isEmpty, separator.contains("(") { hasAreaInBrackets = true }
                separator = String.UnicodeScalarView()
                groups.append(digits.count <= 20 ? text.string(digits) : String(repeating: "0", count: 20))
                position = digits.upperBound
                range = start..<position
                continue
            }
            guard Self.isSeparator(scalar), separator.count < Self.longestSeparator else { break }
            if scalar == "(" { depth += 1 }
            if scalar == ")" { depth -= 1 }
            if !(0...1).contains(depth) {
                // A bracket after the number is not part of it, but one within it is.
                if !(text[position + 1]?.isDigit ?? false) { break }
                isBalanced = false
            }
            separator.append(scalar)
            position += 1
        }
        if groups.isEmpty { range = start..<position }
        // A bracket that is opened within the number must be closed within it.
        let whole = text.scalars[range]
        if whole.count(where: { $0 == "(" }) != whole.count(where: { $0 == ")" }) { isBalanced = false }
    }

    private static func isSeparator(_ scalar: Unicode.Scalar) -> Bool {
        " -.()/\u{A0}\u{2009}\u{202F}\u{2010}\u{2011}\u{2012}\u{2013}".unicodeScalars.contains(scalar)
    }
}

/// The label before a phone number or an address: "Work: …", "Mobile …".
///
/// Looks back by 24 characters, within the line.
enum ContactLabel {
    private static let furthest = 24
    private static let labels: Set<String> = [
        "home", "work", "office", "business", "private", "mobile", "cell", "iphone", "main", "fax", "pager", "school",
        "other",
    ]

    static func before(_ position: Int, in text: DetectionText) -> String? {
        let line = text.run(before: position, limit: furthest) { !$0.isLineBreak }
        // A label is a word, then an optional second one such as "phone", then punctuation.
        let words = text.scalars[line].split { !$0.isLetter }.suffix(2).map { String(String.UnicodeScalarView($0)) }
        guard let end = text.scalars[line].lastIndex(where: \.isLetter) else { return nil }
        guard text.scalars[end + 1..<position].allSatisfy({ $0.isBlank || $0 == ":" || $0 == "(" || $0 == "." }) else {
            return nil
        }
        return words.last { labels.contains($0.lowercased()) }
    }
}
