import Glibc

/// One name in a directory, as the bytes the file system keeps: any bytes but `/` and NUL, UTF-8 or not.
///
/// Names are ordered byte by byte, which does not depend on any locale.
package struct FileName: Sendable, Hashable {
    /// The bytes and the NUL that ends them, ready for a system call.
    package let characters: [CChar]

    /// A name from elsewhere; `nil` for one that no directory entry can have (empty, `.`, `..`, with a `/` or a NUL).
    package init?(_ name: String) {
        guard Self.isValid(name.utf8) else { return nil }
        characters = Array(name.utf8CString)
    }

    /// A name from its bytes; `nil` for one that no directory entry can have.
    ///
    /// An array and no other collection, for whoever looks at a folder of a million: what is generic costs other modules as much
    /// as the system call.
    package init?(bytes: [UInt8]) {
        guard Self.isValid(bytes) else { return nil }
        var characters: [CChar] = []
        characters.reserveCapacity(bytes.count + 1)
        for byte in bytes { characters.append(CChar(bitPattern: byte)) }
        characters.append(0)
        self.characters = characters
    }

    /// A name that a directory was just read from, NUL-terminated within its record.
    init(cString: UnsafePointer<CChar>) {
        characters = Array(UnsafeBufferPointer(start: cString, count: strlen(cString) + 1))
    }

    /// A name written in the program itself.
    init(literal: String) {
        characters = Array(literal.utf8CString)
    }

    private static func isValid(_ bytes: some Collection<UInt8>) -> Bool {
        let dot = UInt8(ascii: ".")
        guard !bytes.isEmpty, !bytes.contains(UInt8(ascii: "/")), !bytes.contains(0) else { return false }
        return !(bytes.count <= 2 && bytes.allSatisfy { $0 == dot })
    }

    /// The bytes without the NUL.
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
    /// The name for people: what is not UTF-8 in it is replaced.
    package var description: String { String(decoding: bytes, as: UTF8.self) }
}
