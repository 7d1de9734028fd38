import Foundation

extension URL {
    /// Returns the URL of an item in this directory, with an extension for `contentType`.
    ///
    /// The type's preferred extension is added unless the name has one that is valid for the type: `puppy.jpg` is a
    /// valid name for an image, and becomes `puppy.jpg.txt` for plain text. A type without an extension adds none.
    ///
    /// - Parameters:
    ///   - partialName: the name, with or without an extension.
    ///   - contentType: the type of the item; if it conforms to `public.directory`, the result is the URL of a
    ///     directory.
    public func appendingPathComponent(_ partialName: String, conformingTo contentType: UTType) -> URL {
        var name = partialName
        if let addition = PathText.missingExtension(of: PathText.last(of: partialName), for: contentType) {
            while name.hasSuffix("/") {
                name.removeLast()
            }
            name += "." + addition
        }
        return appendingPathComponent(name, isDirectory: contentType.conforms(to: .directory))
    }

    /// Appends in place, as ``appendingPathComponent(_:conformingTo:)`` does.
    public mutating func appendPathComponent(_ partialName: String, conformingTo contentType: UTType) {
        self = appendingPathComponent(partialName, conformingTo: contentType)
    }

    /// Returns this URL with an extension for `contentType`: the preferred one of the type, unless the existing
    /// extension is valid for the type. Returns the URL itself if it has no name, or if the type has no extension.
    public func appendingPathExtension(for contentType: UTType) -> URL {
        guard let addition = PathText.missingExtension(of: PathText.last(of: path), for: contentType) else {
            return self
        }
        let result = appendingPathExtension(addition)
        let isDirectory = contentType.conforms(to: .directory) && !result.hasDirectoryPath
        return isDirectory ? result.appendingPathComponent("", isDirectory: true) : result
    }

    /// Appends in place, as ``appendingPathExtension(for:)`` does.
    public mutating func appendPathExtension(for contentType: UTType) {
        self = appendingPathExtension(for: contentType)
    }
}

extension NSURL {
    /// Returns the same result as `URL.appendingPathComponent(_:conformingTo:)`.
    public func appendingPathComponent(_ partialName: String, conformingTo contentType: UTType) -> URL {
        (self as URL).appendingPathComponent(partialName, conformingTo: contentType)
    }

    /// Returns the same result as `URL.appendingPathExtension(for:)`.
    public func appendingPathExtension(for contentType: UTType) -> URL {
        (self as URL).appendingPathExtension(for: contentType)
    }
}

extension NSString {
    /// Returns the path of an item in the directory of this path, with the extension as in
    /// `URL.appendingPathComponent(_:conformingTo:)`.
    public func appendingPathComponent(_ partialName: String, conformingTo contentType: UTType) -> String {
        let path = appendingPathComponent(partialName)
        // If `partialName` contains no name, the path ends with the directory's name, which must not get an extension.
        let addition = PathText.missingExtension(of: PathText.last(of: partialName), for: contentType)
        return addition.map { PathText.adding($0, to: path) } ?? path
    }

    /// Returns this path with an extension as in `URL.appendingPathExtension(for:)`.
    public func appendingPathExtension(for contentType: UTType) -> String {
        let path = self as String
        let addition = PathText.missingExtension(of: PathText.last(of: path), for: contentType)
        return addition.map { PathText.adding($0, to: path) } ?? path
    }
}

extension String {
    /// Unavailable: paths are not made from strings; use `URL`.
    @available(*, unavailable, message: "Use appendingPathExtension(for:) on URL instead.")
    public func appendingPathExtension(for contentType: UTType) -> Never {
        fatalError("This is unavailable, so it is never called.")
    }

    /// Unavailable: paths are not made from strings; use `URL`.
    @available(*, unavailable, message: "Use appendingPathComponent(_:conformingTo:) on URL instead.")
    public func appendingPathComponent(_ partialName: String, conformingTo contentType: UTType) -> Never {
        fatalError("This is unavailable, so it is never called.")
    }
}
