/// A server's identifier of a state of a file (RFC 9110, section 8.8.3).
///
/// Servers write the same tag in several ways: Apache's is weak while the file is younger than a second, and WsgiDAV
/// leaves out the quotes in listings. Only ``opaque`` distinguishes states.
public struct DAVEntityTag: Hashable, Sendable, Codable {
    /// The part between the quotes.
    public let opaque: String
    /// Whether the server promises only that the states mean the same, not that the bytes are equal.
    public let isWeak: Bool

    /// Parses a tag: `"x"`, `W/"x"`, or `x` without quotes. Returns `nil` for an empty one and for one that could not
    /// be sent.
    public init?(_ text: String) {
        var rest = text.trimmed
        isWeak = rest.hasPrefix("W/") || rest.hasPrefix("w/")
        if isWeak { rest = rest.dropFirst(2) }
        if rest.utf8.count >= 2, rest.hasPrefix("\""), rest.hasSuffix("\"") { rest = rest.dropFirst().dropLast() }
        let isValid = rest.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7F && $0 != UInt8(ascii: "\"") }
        guard !rest.isEmpty, isValid else { return nil }
        opaque = String(rest)
    }

    /// Creates a strong tag from its opaque part, as a ``DAVVersion`` has it.
    public init?(opaque: String) { self.init("\"\(opaque)\"") }

    /// The tag in the form of a condition: strong, because a condition with a weak tag never holds. If the server's own
    /// is weak at the moment, the condition fails, and the caller compares versions instead.
    var conditionValue: String { "\"\(opaque)\"" }
}

extension StringProtocol {
    /// The text without white space at its ends.
    package var trimmed: SubSequence {
        let isSpace: (Character) -> Bool = { $0 == " " || $0 == "\t" || $0 == "\n" || $0 == "\r" || $0 == "\r\n" }
        guard let first = firstIndex(where: { !isSpace($0) }), let last = lastIndex(where: { !isSpace($0) }) else {
            return self[endIndex...]
        }
        return self[first...last]
    }

    /// Whether the texts are equal without regard to case.
    func isSame(_ other: String) -> Bool { lowercased() == other.lowercased() }
}
