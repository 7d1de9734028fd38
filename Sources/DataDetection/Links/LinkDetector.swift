import Foundation

/// A link in a text.
package struct Link: Sendable {
    package let range: Range<Int>
    package let url: URL
    /// Whether the scheme is in the text.
    let hasScheme: Bool
}

/// The detector of links to web pages: `http`, `https` and `ftp` URLs, and host names, with or without a port and path,
/// that are usually written without a scheme.
///
/// A link ends at white space, at a quotation mark or angle bracket, and before punctuation of the sentence. A closing
/// bracket belongs to the link only if the link contains the opening one.
///
/// Looks ahead by the length of a host name. A link, or a run of letters that is not a link, is not read again.
///
/// Sources: RFC 3986 (section 3 for the parts, appendix C for links in text).
package enum LinkDetector {
    private static let schemes: Set<String> = ["http", "https", "ftp"]
    /// The maximum length of the part between scheme and path, including a user name before the host.
    private static let longestAuthority = HostName.longest + 128

    package static func links(in text: DetectionText) -> [Link] {
        var links: [Link] = []
        var position = 0
        while position < text.count {
            let run = text.run(from: position, while: isNamePart)
            guard !run.isEmpty else {
                position += 1
                continue
            }
            if let link = link(at: run, in: text) {
                links.append(link)
                position = link.range.upperBound
            } else {
                position = run.upperBound
            }
        }
        return links
    }

    /// Whether a character may be part of host names and schemes.
    private static func isNamePart(_ scalar: Unicode.Scalar) -> Bool {
        scalar.isLetterOrDigit || scalar == "." || scalar == "-" || scalar == "+" || scalar == "_"
    }

    private static func link(at run: Range<Int>, in text: DetectionText) -> Link? {
        let end = run.upperBound
        if text[end] == ":", text[end + 1] == "/", text[end + 2] == "/" {
            let scheme = text.run(before: end, limit: 6) { $0.isASCIILetter }
            guard scheme.lowerBound >= run.lowerBound, schemes.contains(text.string(scheme).lowercased()) else {
                return nil
            }
            return absolute(from: scheme.lowerBound, authority: end + 3, in: text)
        }
        return bare(at: run, in: text)
    }

    // MARK: - With a scheme

    private static func absolute(from start: Int, authority: Int, in text: DetectionText) -> Link? {
        var whole = text.run(from: authority, limit: longestAuthority + 1, while: isAuthorityPart)
        guard whole.count <= longestAuthority else { return nil }
        let isSentenceEnd = whole.upperBound
        whole = trimmed(whole, in: text)
        let string = text.string(whole)
        // The host is after the last @. Text before it may look like a host, but is user information.
        let host = string.lastIndex(of: "@").map { string[string.index(after: $0)...] } ?? string[...]
        guard isHostAndPort(host) else { return nil }
        let end = whole.upperBound == isSentenceEnd ? path(from: whole.upperBound, in: text) : whole.upperBound
        return make(start..<end, prefix: "", in: text)
    }

    private static func isAuthorityPart(_ scalar: Unicode.Scalar) -> Bool {
        isNamePart(scalar) || "~%:@[]".unicodeScalars.contains(scalar)
    }

    private static func isHostAndPort(_ string: Substring) -> Bool {
        if string.first == "[" {
            guard let close = string.firstIndex(of: "]") else { return false }
            return HostName.isIPv6(string[string.index(after: string.startIndex)..<close])
                && isPort(string[string.index(after: close)...])
        }
        let end = string.firstIndex(of: ":") ?? string.endIndex
        return HostName.isValid(string[..<end]) && isPort(string[end...])
    }

    private static func isPort(_ string: Substring) -> Bool {
        guard let colon = string.first else { return true }
        return colon == ":" && (2...6).contains(string.utf8.count) && UInt16(string.dropFirst()) != nil
    }

    // MARK: - Without a scheme

    private static func bare(at run: Range<Int>, in text: DetectionText) -> Link? {
        // After one of these characters, the name is the rest of an email address, of a path, or of a URL with another
        // scheme.
        if let before = text[run.lowerBound - 1], "@/\\:#%&=~$".unicodeScalars.contains(before) { return nil }
        if text[run.upperBound] == "@" { return nil }
        let name = trimmed(run, in: text)
        guard name.count <= HostName.longest, name.count > 3, HostName.isFamiliar(text.string(name)[...]) else {
            return nil
        }
        var end = name.upperBound
        if end == run.upperBound {
            if text[end] == ":" {
                let port = text.run(from: end + 1, limit: 6, while: \.isDigit)
                if UInt16(text.string(port)) != nil { end = port.upperBound }
            }
            end = path(from: end, in: text)
        }
        return make(name.lowerBound..<end, prefix: "http://", in: text)
    }

    // MARK: - Paths

    private static func path(from start: Int, in text: DetectionText) -> Int {
        guard let first = text[start], "/?#".unicodeScalars.contains(first) else { return start }
        let run = text.run(from: start, while: isPathPart)
        var end = run.upperBound
        var unopened = ["(": 0, "[": 0]
        for position in run {
            switch text[position] {
            case "(": unopened["(", default: 0] -= 1
            case ")": unopened["(", default: 0] += 1
            case "[": unopened["[", default: 0] -= 1
            case "]": unopened["[", default: 0] += 1
            default: break
            }
        }
        while end > start, let last = text[end - 1] {
            if last == ")" || last == "]" {
                let opening = last == ")" ? "(" : "["
                guard let count = unopened[opening], count > 0 else { break }
                unopened[opening] = count - 1
            } else if !isSentencePunctuation(last) {
                break
            }
            end -= 1
        }
        return end
    }

    private static func isPathPart(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.isASCII {
            return scalar.value > 0x20 && scalar.value < 0x7F && !"\"<>\\^`{|}".unicodeScalars.contains(scalar)
        }
        return scalar.isLetter || (scalar.properties.numericType != nil)
            || scalar.properties.canonicalCombiningClass != .notReordered
    }

    private static func isSentencePunctuation(_ scalar: Unicode.Scalar) -> Bool {
        ".,:;!?'*_~".unicodeScalars.contains(scalar)
    }

    private static func trimmed(_ range: Range<Int>, in text: DetectionText) -> Range<Int> {
        var range = range
        while let last = text[range.upperBound - 1], !range.isEmpty, !last.isLetterOrDigit,
            last != "]" || !opens(range, text)
        {
            range = range.lowerBound..<range.upperBound - 1
        }
        while let first = text[range.lowerBound], !range.isEmpty, !first.isLetterOrDigit, first != "[" {
            range = range.lowerBound + 1..<range.upperBound
        }
        return range
    }

    private static func opens(_ range: Range<Int>, _ text: DetectionText) -> Bool {
        text.scalars[range].contains("[")
    }

    private static func make(_ range: Range<Int>, prefix: String, in text: DetectionText) -> Link? {
        guard let url = URL(string: prefix + text.string(range)) else { return nil }
        return Link(range: range, url: url, hasScheme: prefix.isEmpty)
    }
}

/// The interpretation of a whole text that is pasted into a browser's address field: an address or a search.
package enum WebText {
    /// The maximum length in characters of a text that counts as a search.
    private static let longestSearch = 256

    /// Returns the text as a web address if it consists of one link, with or without a scheme, and surrounding white
    /// space; `nil` otherwise.
    package static func address(in text: DetectionText, links: [Link]) -> String? {
        let trimmed = text.trimmed
        guard text.isWhole, links.count == 1, let link = links.first, link.range == trimmed else { return nil }
        guard !link.hasScheme || link.url.scheme?.lowercased().hasPrefix("http") == true else { return nil }
        return text.string(trimmed)
    }

    /// Returns the text as a web search, if it has at most 256 characters and at least one letter or digit; `nil`
    /// otherwise. Line breaks and other white space become single spaces.
    package static func search(in text: DetectionText) -> String? {
        let trimmed = text.trimmed
        guard text.isWhole, trimmed.count <= longestSearch else { return nil }
        let characters = text.scalars[trimmed]
        guard characters.contains(where: \.isLetterOrDigit) else { return nil }
        return characters.split(whereSeparator: \.isSpace)
            .map { String(String.UnicodeScalarView($0)) }.joined(separator: " ")
    }
}
