import Foundation

extension URL {
    /// The URL of an item in this directory, with an extension that says it is of `contentType`.
    ///
    /// The type's preferred extension is added unless the name has one that is valid for the type: `puppy.jpg` is a
    /// valid name for an image, and becomes `puppy.jpg.txt` for plain text. A type without an extension adds none.
    ///
    /// - Parameters:
    ///   - partialName: the name, with or without an extension.
    ///   - contentType: the type of the item; one that conforms to `public.directory` makes it a directory's URL.
    public func appendingPathComponent(_ partialName: String, conformingTo contentType: UTType) -> URL {
        var name = partialName
        if let addition = FileName.missingExtension(of: FileName.last(of: partialName), for: contentType) {
            while name.hasSuffix("/") {
                name.removeLast()
            }
            name += "." + addition
        }
        return appendingPathComponent(name, isDirectory: contentType.conforms(to: .directory))
    }

    /// As ``appendingPathComponent(_:conformingTo:)``, in place.
    public mutating func appendPathComponent(_ partialName: String, conformingTo contentType: UTType) {
        self = appendingPathComponent(partialName, conformingTo: contentType)
    }

    /// This URL with an extension that says it is of `contentType`: the preferred one of the type, unless the extension
    /// that is there is valid for the type. The URL itself if it has no name, or the type no extension.
    public func appendingPathExtension(for contentType: UTType) -> URL {
        guard let addition = FileName.missingExtension(of: FileName.last(of: path), for: contentType) else {
            return self
        }
        let result = appendingPathExtension(addition)
        let isDirectory = contentType.conforms(to: .directory) && !result.hasDirectoryPath
        return isDirectory ? result.appendingPathComponent("", isDirectory: true) : result
    }

    /// As ``appendingPathExtension(for:)``, in place.
    public mutating func appendPathExtension(for contentType: UTType) {
        self = appendingPathExtension(for: contentType)
    }
}

extension NSURL {
    /// As `URL.appendingPathComponent(_:conformingTo:)`.
    public func appendingPathComponent(_ partialName: String, conformingTo contentType: UTType) -> URL {
        (self as URL).appendingPathComponent(partialName, conformingTo: contentType)
    }

    /// As `URL.appendingPathExtension(for:)`.
    public func appendingPathExtension(for contentType: UTType) -> URL {
        (self as URL).appendingPathExtension(for: contentType)
    }
}

extension NSString {
    /// The path of an item in the directory of this path; the extension as in
    /// `URL.appendingPathComponent(_:conformingTo:)`.
    public func appendingPathComponent(_ partialName: String, conformingTo contentType: UTType) -> String {
        let path = appendingPathComponent(partialName)
        // Without a name of its own the path ends in the directory's, which is to stay as it is.
        let addition = FileName.missingExtension(of: FileName.last(of: partialName), for: contentType)
        return addition.map { FileName.adding($0, to: path) } ?? path
    }

    /// This path with an extension as in `URL.appendingPathExtension(for:)`.
    public func appendingPathExtension(for contentType: UTType) -> String {
        let path = self as String
        let addition = FileName.missingExtension(of: FileName.last(of: path), for: contentType)
        return addition.map { FileName.adding($0, to: path) } ?? path
    }
}

extension String {
    /// Paths are not made from strings; use `URL`.
    @available(*, unavailable, message: "Use appendingPathExtension(for:) on URL instead.")
    public func appendingPathExtension(for contentType: UTType) -> Never {
        fatalError("Unavailable, so nobody calls it.")
    }

    /// Paths are not made from strings; use `URL`.
    @available(*, unavailable, message: "Use appendingPathComponent(_:conformingTo:) on URL instead.")
    public func appendingPathComponent(_ partialName: String, conformingTo contentType: UTType) -> Never {
        fatalError("Unavailable, so nobody calls it.")
    }
}
