/// The parts of a path, told by bytes. Characters do not do: one may begin with `/` and go on with the mark that a name begins with,
/// and two names that differ in their bytes may be the same characters.
extension StringProtocol where UTF8View: BidirectionalCollection {
    /// The position of the last `/`.
    package var lastSlash: Index? { utf8.lastIndex(of: UInt8(ascii: "/")) }

    /// The text after the last `/`; the whole if there is none. Foundation drops a byte order mark at a name's beginning.
    package var lastPathName: String {
        guard let slash = lastSlash else { return String(self) }
        return String(self[utf8.index(after: slash)...])
    }

    /// The names between the slashes, without empty ones.
    package var pathNames: [String] {
        utf8.split(separator: UInt8(ascii: "/")).map { String(decoding: $0, as: UTF8.self) }
    }

    /// The names on the way from a folder to this path; `nil` where it does not lie there. For the folder itself there are none.
    package func pathNames(beneath folder: String) -> [String]? {
        guard utf8.starts(with: folder.utf8) else { return nil }
        let rest = utf8.dropFirst(folder.utf8.count)
        guard rest.isEmpty || rest.first == UInt8(ascii: "/") || folder.utf8.last == UInt8(ascii: "/") else {
            return nil
        }
        return rest.split(separator: UInt8(ascii: "/")).map { String(decoding: $0, as: UTF8.self) }
    }
}
