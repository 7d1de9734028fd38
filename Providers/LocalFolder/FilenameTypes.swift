import UniformTypeIdentifiers

/// The types of files by their filename extensions. The items of one answer share them: in a large folder most names end alike.
///
/// For one thread at a time.
final class FilenameTypes {
    private var types: [Substring: UTType] = [:]

    /// Returns the type of a file with a name.
    func type(of name: String) -> UTType {
        // A name that begins with its only dot has no extension.
        guard let dot = name.utf8.lastIndex(of: UInt8(ascii: ".")), dot > name.startIndex else { return .data }
        let suffix = name[name.utf8.index(after: dot)...]
        if let known = types[suffix] { return known }
        // Many names of folders on other systems end like a type of packages; here it is a file.
        let type = UTType(filenameExtension: String(suffix), conformingTo: .data) ?? .data
        types[suffix] = type
        return type
    }
}
