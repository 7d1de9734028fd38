/// The names in a path, found by bytes. Characters do not suffice: a character may consist of `/` and a combining
/// mark at the start of a name, and two names of different bytes may have equal characters.
extension StringProtocol where UTF8View: BidirectionalCollection {
    /// The position of the last `/`.
    package var lastSlash: Index? { utf8.lastIndex(of: UInt8(ascii: "/")) }

    /// The text after the last `/`, or the whole text if it contains no `/`. Foundation's function would drop a byte
    /// order mark at a name's start.
    package var lastPathName: String {
        guard let slash = lastSlash else { return String(self) }
        return String(self[utf8.index(after: slash)...])
    }

    /// The names between the slashes, without empty ones.
    package var pathNames: [String] {
        utf8.split(separator: UInt8(ascii: "/")).map { String(decoding: $0, as: UTF8.self) }
    }

    /// Returns the names from a directory to this path, or `nil` if the path is not in it; an empty array for the
    /// directory itself.
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
    /// `String(validating:as:)` takes at least 100 ns for the shortest name, because it is generic over the type of the
    /// code units.
    @inlinable package init?(utf8 bytes: UnsafeBufferPointer<UInt8>) {
        guard let text = try? UTF8Span(validating: bytes.span) else { return nil }
        self.init(copying: text)
    }
}
