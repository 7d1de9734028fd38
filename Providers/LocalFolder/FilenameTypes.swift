import UniformTypeIdentifiers

/// A cache of file types by filename extension. The items of one reply share a cache, because the names in a large
/// directory usually have few different extensions.
///
/// Not thread-safe.
final class FilenameTypes {
    private var types: [Substring: UTType] = [:]

    /// Returns the type of a file with the given name.
    func type(of name: String) -> UTType {
        // A name whose only dot is its first character has no extension.
        guard let dot = name.utf8.lastIndex(of: UInt8(ascii: ".")), dot > name.startIndex else { return .data }
        let suffix = name[name.utf8.index(after: dot)...]
        if let known = types[suffix] { return known }
        // The extension may be that of a package type, which is a directory on other systems. This item is a file.
        let type = UTType(filenameExtension: String(suffix), conformingTo: .data) ?? .data
        types[suffix] = type
        return type
    }
}
