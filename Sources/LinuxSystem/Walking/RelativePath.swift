/// The path of an entry below the root of a walk, as bytes: names with `/` between, empty for the root itself.
package struct RelativePath: Sendable, Hashable {
    package private(set) var bytes: [UInt8]

    /// Creates the path of the walk's root.
    package init() { bytes = [] }

    package mutating func append(_ name: FileName) {
        if !bytes.isEmpty { bytes.append(UInt8(ascii: "/")) }
        bytes.append(contentsOf: name.bytes)
    }

    package mutating func removeLast() {
        let end = bytes.lastIndex(of: UInt8(ascii: "/")) ?? bytes.startIndex
        bytes.removeSubrange(end...)
    }

    package func appending(_ name: FileName) -> RelativePath {
        var path = self
        path.append(name)
        return path
    }
}

extension RelativePath: CustomStringConvertible {
    /// The path for users: invalid UTF-8 is replaced, and the root is `.`.
    package var description: String { bytes.isEmpty ? "." : String(decoding: bytes, as: UTF8.self) }
}
