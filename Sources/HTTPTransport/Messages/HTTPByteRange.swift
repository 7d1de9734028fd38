/// The range of a file's bytes that a request asks for.
public struct HTTPByteRange: Hashable, Sendable {
    /// The offset of the first byte, at least 0.
    public let start: Int
    /// The offset after the last byte, or `nil` for the end of the file.
    public let end: Int?

    /// Creates a range. An empty range requests one byte, because the protocol has no empty ranges.
    public init(_ range: Range<Int>) {
        start = max(0, range.lowerBound)
        end = max(start + 1, range.upperBound)
    }

    /// Creates a range up to the end of the file.
    public init(from start: Int) {
        self.start = max(0, start)
        end = nil
    }
}

/// The range of a file's bytes in a reply, from the header field `Content-Range`.
public struct HTTPContentRange: Hashable, Sendable {
    /// The bytes of the reply.
    public let bytes: Range<Int>
    /// The size of the whole file, or `nil` if the server does not know it.
    public let total: Int?

    /// Parses a value such as `bytes 0-499/1234`. Returns `nil` if the value has another form, or if its sizes
    /// contradict each other.
    public init?(_ value: String) {
        let words = value.split(separator: " ", omittingEmptySubsequences: true)
        guard words.count == 2, HTTPHeaders.isSame(String(words[0]), "bytes") else { return nil }
        let parts = words[1].split(separator: "/", omittingEmptySubsequences: false)
        let ends = parts.first?.split(separator: "-", omittingEmptySubsequences: false) ?? []
        guard parts.count == 2, ends.count == 2, let first = Self.number(ends[0]), let last = Self.number(ends[1]),
            first <= last, last < .max
        else { return nil }
        bytes = first..<(last + 1)
        if parts[1] == "*" {
            total = nil
        } else {
            guard let total = Self.number(parts[1]), total > last else { return nil }
            self.total = total
        }
    }

    private static func number(_ text: Substring) -> Int? {
        text.utf8.allSatisfy { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 } ? Int(text) : nil
    }
}
