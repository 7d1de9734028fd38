/// Splits paths into names by comparing bytes. Comparing characters would be wrong: a `/` and a combining mark at the
/// start of the next name are one character, and two different names may consist of equal characters.
extension StringProtocol where UTF8View: BidirectionalCollection {
    /// The position of the last `/`; `nil` if the text contains none.
    package var lastSlash: Index? { utf8.lastIndex(of: UInt8(ascii: "/")) }

    /// Whether the text contains a `/`.
    package var hasSlash: Bool { utf8.contains(UInt8(ascii: "/")) }

    /// Whether the text is an absolute path.
    package var isAbsolutePath: Bool { utf8.first == UInt8(ascii: "/") }

    /// The position of the first `:`; `nil` if the text contains none. The colon separates a domain's name from a path,
    /// which may begin with a combining mark.
    package var firstColon: Index? { utf8.firstIndex(of: UInt8(ascii: ":")) }

    /// The text after the last `/`, or the whole text if it contains no `/`. Foundation's function is not used, because
    /// it drops a byte order mark at the start of a name.
    package var lastPathName: String {
        guard let slash = lastSlash else { return String(self) }
        return String(self[utf8.index(after: slash)...])
    }

    /// The names between the slashes. Empty names are left out.
    package var pathNames: [String] {
        utf8.split(separator: UInt8(ascii: "/")).map { String(decoding: $0, as: UTF8.self) }
    }

    /// Returns the names that lead from the directory `folder` to this path. Returns an empty array if this is the path
    /// of the directory itself, and `nil` if the path is not beneath the directory.
    package func pathNames(beneath folder: String) -> [String]? {
        guard utf8.starts(with: folder.utf8) else { return nil }
        let rest = utf8.dropFirst(folder.utf8.count)
        guard rest.isEmpty || rest.first == UInt8(ascii: "/") || folder.utf8.last == UInt8(ascii: "/") else {
            return nil
        }
        return rest.split(separator: UInt8(ascii: "/")).map { String(decoding: $0, as: UTF8.self) }
    }
}

extension String {
    /// Creates a string from UTF-8 bytes, or `nil` if they are not valid UTF-8.
    ///
    /// This initializer exists because `String(validating:as:)` takes at least 100 ns, even for the shortest name: it
    /// is generic over the type of the code units.
    @inlinable package init?(utf8 bytes: UnsafeBufferPointer<UInt8>) {
        guard let text = try? UTF8Span(validating: bytes.span) else { return nil }
        self.init(copying: text)
    }
}
