/// A server's identifier of a state of a file (RFC 9110, section 8.8.3).
///
/// Servers write the same tag in several ways: Apache's tag is weak while the file is younger than a second, and
/// WsgiDAV omits the quotes in listings. Only ``opaque`` distinguishes states.
public struct DAVEntityTag: Hashable, Sendable, Codable {
    /// The part between the quotes.
    public let opaque: String
    /// Whether states with the same tag may differ in their bytes, because the server only guarantees that they are
    /// equivalent.
    public let isWeak: Bool

    /// Parses a tag: `"x"`, `W/"x"`, or `x` without quotes. Returns `nil` for an empty tag, and for a tag that could
    /// not be sent in a header field.
    public init?(_ text: String) {
        var rest = text.trimmed
        isWeak = rest.hasPrefix("W/") || rest.hasPrefix("w/")
        if isWeak { rest = rest.dropFirst(2) }
        if rest.utf8.count >= 2, rest.hasPrefix("\""), rest.hasSuffix("\"") { rest = rest.dropFirst().dropLast() }
        let isValid = rest.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7F && $0 != UInt8(ascii: "\"") }
        guard !rest.isEmpty, isValid else { return nil }
        opaque = String(rest)
    }

    /// Creates a strong tag from its opaque part, which ``DAVVersion/tag`` stores; `nil` if the part is empty or could
    /// not be sent in a header field.
    public init?(opaque: String) { self.init("\"\(opaque)\"") }

    /// The tag in its strong form, for conditions. A condition with a weak tag is never true. If the server's own tag
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
