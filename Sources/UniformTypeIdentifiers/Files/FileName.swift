/// File names, split as the rest of the system splits them.
enum FileName {
    /// The last component of a path, without slashes at its end.
    static func last(of path: String) -> Substring {
        let end = path.lastIndex { $0 != "/" }.map { path.index(after: $0) } ?? path.startIndex
        let trimmed = path[..<end]
        return trimmed.lastIndex(of: "/").map { trimmed[trimmed.index(after: $0)...] } ?? trimmed
    }

    /// What follows the last dot of a name; nil if there is none, nothing follows it, or the name starts with it.
    static func pathExtension(of name: some StringProtocol) -> String? {
        guard let dot = name.lastIndex(of: "."), dot != name.startIndex, name.index(after: dot) != name.endIndex,
            name[..<dot].contains(where: { $0 != "." })
        else { return nil }
        return String(name[name.index(after: dot)...])
    }

    /// The extension to add to a name so that it says it is of `type`; nil if it says so already, or nothing can be
    /// added.
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
    /// Whether a file of this type may have the extension: it is one of the type's tags, or one of a type that conforms
    /// to it.
    package func isValid(filenameExtension: String) -> Bool {
        UTType.types(tag: filenameExtension, tagClass: .filenameExtension, conformingTo: nil)
            .contains { $0.conforms(to: self) }
            || (tags[.filenameExtension] ?? []).contains { $0.lowercased() == filenameExtension.lowercased() }
    }
}
