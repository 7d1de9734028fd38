/// Finds and adds the extensions of file names.
enum PathText {
    // Dots and slashes are searched among the bytes, because they are never part of a longer character.

    /// Returns the last component of a path, without slashes at its end.
    static func last(of path: String) -> Substring {
        let bytes = path.utf8
        let slash = UInt8(ascii: "/")
        let end = bytes.lastIndex { $0 != slash }.map { bytes.index(after: $0) } ?? bytes.startIndex
        let trimmed = bytes[..<end]
        return Substring(trimmed.lastIndex(of: slash).map { trimmed[trimmed.index(after: $0)...] } ?? trimmed)
    }

    /// Returns the part after the last dot of a name; nil if there is no dot, if nothing follows it, or if only dots
    /// precede it.
    static func pathExtension(of name: some StringProtocol) -> String? {
        let name = String(name)
        let bytes = name.utf8
        guard let dot = bytes.lastIndex(of: UInt8(ascii: ".")), dot != bytes.startIndex,
            bytes.index(after: dot) != bytes.endIndex, bytes[..<dot].contains(where: { $0 != UInt8(ascii: ".") })
        else { return nil }
        return String(name[bytes.index(after: dot)...])
    }

    /// Returns a path with an extension appended. Slashes at the path's end are removed first.
    static func adding(_ fileExtension: String, to path: String) -> String {
        let end = path.lastIndex { $0 != "/" }.map { path.index(after: $0) } ?? path.endIndex
        return path[..<end] + "." + fileExtension
    }

    /// Returns the extension to add to the name of a file of the given type; nil if the name already has an extension
    /// that is valid for the type, if the name cannot have an extension, or if the type has none.
    static func missingExtension(of name: some StringProtocol, for type: UTType) -> String? {
        if name.isEmpty || name == "." || name == ".." {
            return nil
        }
        if let present = pathExtension(of: name), type.isValid(filenameExtension: present) {
            return nil
        }
        return type.preferredFilenameExtension
    }
}

extension UTType {
    /// Whether the extension is a tag of this type, or of a type that conforms to this type.
    package func isValid(filenameExtension: String) -> Bool {
        UTType.types(tag: filenameExtension, tagClass: .filenameExtension, conformingTo: nil)
            .contains { $0.conforms(to: self) }
            || (tags[.filenameExtension] ?? []).contains { $0.lowercased() == filenameExtension.lowercased() }
    }
}
