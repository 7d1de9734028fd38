import Foundation

// Foundation on Linux has no content types. Other modules cannot add a resource value, because Foundation stores only
// the values that it has read itself. `URLResourceValues` does not contain the URL, but contains the path if the path
// was requested. Therefore the key for the content type equals the key for the path, and the type is computed from the
// path when the property is read.

extension URLResourceKey {
    /// The key for ``Foundation/URLResourceValues/contentType``.
    ///
    /// On Linux it equals `pathKey`, so values that were requested for either key contain both.
    public static var contentTypeKey: URLResourceKey { .pathKey }
}

extension URLResourceValues {
    /// The type of the item, if the values were requested with `contentTypeKey`.
    ///
    /// A directory has the directory type that is declared for its extension, such as that of a package, or else
    /// `public.folder`. A symbolic link is `public.symlink`, regardless of its target. A file has the type of its name,
    /// or of its content if the name does not determine it. The type is computed when it is read, which can block; nil
    /// if the item does not exist any more.
    public var contentType: UTType? {
        path.flatMap { try? UTType.contentType(ofItemAt: $0) }
    }
}

extension URL {
    /// Returns resource values, like Foundation's method of the same name with a set. Calls with an array literal
    /// resolve to this method.
    ///
    /// Unlike Foundation's, this method fails for the content type of an item that does not exist, and supports
    /// `typeIdentifierKey`.
    ///
    /// - Throws: `CocoaError`, `fileReadNoSuchFile` if the item does not exist.
    public func resourceValues(forKeys keys: [URLResourceKey]) throws -> URLResourceValues {
        let values = try resourceValues(forKeys: Set(keys))
        let wantsIdentifier = keys.contains(.typeIdentifierKey)
        guard isFileURL, wantsIdentifier || keys.contains(.contentTypeKey) else { return values }
        let type = try UTType.contentType(ofItemAt: path)
        return wantsIdentifier ? values.adding(type.identifier, forKey: .typeIdentifierKey) : values
    }
}

extension URLResourceValues {
    /// Returns these values and an additional value. If the layout of Foundation's type has changed, returns these
    /// values unchanged.
    package func adding(_ value: Any, forKey key: URLResourceKey) -> URLResourceValues {
        typealias Parts = (values: [URLResourceKey: Any], keys: Set<URLResourceKey>)
        let children = Array(Mirror(reflecting: self).children)
        guard MemoryLayout<URLResourceValues>.size == MemoryLayout<Parts>.size,
            MemoryLayout<URLResourceValues>.alignment == MemoryLayout<Parts>.alignment, children.count == 2,
            children[0].label == "_values", children[0].value is [URLResourceKey: Any],
            children[1].label == "_keys", children[1].value is Set<URLResourceKey>
        else { return self }
        // Foundation's type has exactly these two stored properties, in this order. A struct has the same layout as the
        // tuple of its properties, so each can be copied as the other. The properties are checked each time, because
        // another version of Foundation may have others.
        var parts = unsafeBitCast(self, to: Parts.self)
        parts.values[key] = value
        return unsafeBitCast(parts, to: URLResourceValues.self)
    }
}
