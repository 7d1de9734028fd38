import Foundation

/// The interpretation of a whole text that is pasted into a browser's address field: an address or a search.
package enum WebText {
    /// The longest text that counts as a search.
    private static let longestSearch = 256

    /// Returns the text as a web address: it consists of one link, with or without a scheme, and white space around
    /// it.
    package static func address(in text: DetectionText, links: [Link]) -> String? {
        let trimmed = text.trimmed
        guard text.isWhole, links.count == 1, let link = links.first, link.range == trimmed else { return nil }
        guard !link.hasScheme || link.url.scheme?.lowercased().hasPrefix("http") == true else { return nil }
        return text.string(trimmed)
    }

    /// Returns the text as a web search: at most 256 characters with a letter or digit among them. Line breaks and
    /// other white space become single spaces.
    package static func search(in text: DetectionText) -> String? {
        let trimmed = text.trimmed
        guard text.isWhole, trimmed.count <= longestSearch else { return nil }
        let characters = text.scalars[trimmed]
        guard characters.contains(where: \.isLetterOrDigit) else { return nil }
        return characters.split(whereSeparator: \.isSpace)
            .map { String(String.UnicodeScalarView($0)) }.joined(separator: " ")
    }
}
