/// A path, or a name in one, as the file system knows it: by its bytes.
///
/// Texts are equal to Swift when they look the same to a reader, `é` as one character or as two, say. To the file system those
/// are two files, so whoever compares paths compares these.
package struct ExactPath: Hashable, Sendable, Comparable, ExpressibleByStringLiteral, CustomStringConvertible {
    package let string: String

    package init(_ string: String) { self.string = string }
    package init(stringLiteral string: String) { self.string = string }

    package var utf8: String.UTF8View { string.utf8 }
    package var description: String { string }

    package static func == (left: ExactPath, right: ExactPath) -> Bool {
        guard left.utf8.count == right.utf8.count else { return false }
        // Nearly always in one piece, which is compared many times as fast.
        return left.utf8.withContiguousStorageIfAvailable { left in
            right.utf8.withContiguousStorageIfAvailable { right in left.elementsEqual(right) }
        }.flatMap { $0 } ?? left.utf8.elementsEqual(right.utf8)
    }

    package func hash(into hasher: inout Hasher) {
        let isHashed: Void? = utf8.withContiguousStorageIfAvailable { bytes in
            hasher.combine(bytes: UnsafeRawBufferPointer(bytes))
        }
        if isHashed == nil { for byte in utf8 { hasher.combine(byte) } }
        // Ends it: no path has this byte.
        hasher.combine(0xFF as UInt8)
    }

    package static func < (left: ExactPath, right: ExactPath) -> Bool {
        left.utf8.lexicographicallyPrecedes(right.utf8)
    }
}
