import Glibc

/// The name of a directory entry, as the bytes that the file system stores. They can be any bytes except `/` and NUL,
/// and need not be UTF-8.
///
/// Names are ordered by their bytes, independent of any locale.
package struct FileName: Sendable, Hashable {
    /// The bytes and a terminating NUL, as system calls need them.
    package let characters: [CChar]

    /// Creates a name, or `nil` if no directory entry can have it, because it is empty, `.` or `..`, or contains a `/`
    /// or a NUL.
    package init?(_ name: String) {
        guard Self.isValid(name.utf8) else { return nil }
        characters = Array(name.utf8CString)
    }

    /// Creates a name from its bytes, or `nil` if no directory entry can have it.
    ///
    /// The parameter is an array, not a generic collection, because callers list directories with a million entries. A
    /// generic function is not specialized for callers in other modules, and would take as much time as the system
    /// call.
    package init?(bytes: [UInt8]) {
        guard Self.isValid(bytes) else { return nil }
        var characters: [CChar] = []
        characters.reserveCapacity(bytes.count + 1)
        for byte in bytes { characters.append(CChar(bitPattern: byte)) }
        characters.append(0)
        self.characters = characters
    }

    /// Creates a name from the NUL-terminated name in a record of a directory listing.
    init(cString: UnsafePointer<CChar>) {
        characters = Array(UnsafeBufferPointer(start: cString, count: strlen(cString) + 1))
    }

    /// Creates a name from a string literal, without checking it.
    init(literal: String) {
        characters = Array(literal.utf8CString)
    }

    private static func isValid(_ bytes: some Collection<UInt8>) -> Bool {
        let dot = UInt8(ascii: ".")
        guard !bytes.isEmpty, !bytes.contains(UInt8(ascii: "/")), !bytes.contains(0) else { return false }
        return !(bytes.count <= 2 && bytes.allSatisfy { $0 == dot })
    }

    /// The bytes of the name, without the terminating NUL.
    package var bytes: some RandomAccessCollection<UInt8> {
        characters.dropLast().lazy.map { UInt8(bitPattern: $0) }
    }
}

extension FileName: Comparable {
    package static func < (left: FileName, right: FileName) -> Bool {
        strcmp(left.characters, right.characters) < 0
    }
}

extension FileName: CustomStringConvertible {
    /// The name as it is shown to users: invalid UTF-8 is replaced.
    package var description: String { String(decoding: bytes, as: UTF8.self) }
}

/// The path of an entry relative to the root of a walk, as bytes. Names are separated by `/`. The path of the root
/// itself is empty.
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
    /// The path as it is shown to users: invalid UTF-8 is replaced, and the root is `.`.
    package var description: String { bytes.isEmpty ? "." : String(decoding: bytes, as: UTF8.self) }
}
