/// The detector of email addresses.
///
/// Sources: RFC 5321 sections 4.1.2 (a dot-string of atoms before the `@`) and 4.5.3.1 (64 characters before it, 255
/// after it), RFC 5322 section 3.2.3 (the characters of an atom). Quoted local parts and domains in brackets are left
/// out, because they do not occur in text. The domain must be one that could be registered.
///
/// Looks back from every `@` by 64 characters and ahead by 253, and no further than to the next `@`.
package enum EmailAddressDetector {
    private static let longestLocalPart = 64

    package static func matches(in text: DetectionText) -> [DDMatchEmailAddress] {
        var matches: [DDMatchEmailAddress] = []
        var end = 0
        for position in text.scalars.indices where position >= end && text[position] == "@" {
            guard let range = address(around: position, from: end, in: text) else { continue }
            let label = ContactLabel.before(range.lowerBound, in: text)
            matches.append(DDMatchEmailAddress(text.string(range), label: label))
            end = range.upperBound
        }
        return matches
    }

    private static func address(around at: Int, from start: Int, in text: DetectionText) -> Range<Int>? {
        var local = text.run(before: at, limit: min(longestLocalPart + 1, at - start), while: isLocalPart)
        guard local.count <= longestLocalPart else { return nil }
        // Quotes and dots before an address belong to the sentence.
        while let first = text[local.lowerBound], !local.isEmpty, first == "." || first == "'" || first == "`" {
            local = local.lowerBound + 1..<local.upperBound
        }
        guard !local.isEmpty, text[at - 1] != "." else { return nil }
        guard !zip(local, local.dropFirst()).contains(where: { text[$0] == "." && text[$1] == "." }) else { return nil }
        var domain = text.run(from: at + 1, limit: HostName.longest + 1) {
            $0.isLetterOrDigit || $0 == "-" || $0 == "."
        }
        guard domain.count <= HostName.longest, text[domain.upperBound] != "@" else { return nil }
        while let last = text[domain.upperBound - 1], !domain.isEmpty, last == "." || last == "-" {
            domain = domain.lowerBound..<domain.upperBound - 1
        }
        guard HostName.isDomain(text.string(domain)[...]) else { return nil }
        return local.lowerBound..<domain.upperBound
    }

    private static func isLocalPart(_ scalar: Unicode.Scalar) -> Bool {
        scalar.isASCII
            ? scalar.isLetterOrDigit || ".!#$%&'*+-/=?^_`{|}~".unicodeScalars.contains(scalar) : scalar.isLetter
    }
}
