import Glibc

/// A path, or one name of a path. Values are compared byte by byte, as in the file system.
///
/// Swift's strings are equal if they are canonically equivalent, such as `é` as one scalar and as two scalars. In the
/// file system, these are two different names. Therefore paths must be compared as values of this type.
package struct ExactPath: Hashable, Sendable, Comparable, ExpressibleByStringLiteral, CustomStringConvertible {
    package let string: String

    package init(_ string: String) { self.string = string }
    package init(stringLiteral string: String) { self.string = string }

    package var utf8: String.UTF8View { string.utf8 }
    package var description: String { string }

    package static func == (left: ExactPath, right: ExactPath) -> Bool {
        guard left.utf8.count == right.utf8.count else { return false }
        // The bytes of a string are nearly always contiguous, and contiguous bytes are compared many times faster.
        return left.utf8.withContiguousStorageIfAvailable { left in
            right.utf8.withContiguousStorageIfAvailable { right in left.begins(with: right) }
        }.flatMap { $0 } ?? left.utf8.elementsEqual(right.utf8)
    }

    /// Whether the path begins with `start` and is longer.
    func continues(_ start: ExactPath) -> Bool {
        guard utf8.count > start.utf8.count else { return false }
        return utf8.withContiguousStorageIfAvailable { bytes in
            start.utf8.withContiguousStorageIfAvailable { start in bytes.begins(with: start) }
        }.flatMap { $0 } ?? utf8.starts(with: start.utf8)
    }

    /// The number of names in the path.
    var nameCount: Int {
        func count(_ bytes: UnsafeBufferPointer<UInt8>) -> Int {
            var (count, start) = (0, 0)
            while let base = bytes.baseAddress, start < bytes.count,
                let slash = memchr(base + start, CInt(UInt8(ascii: "/")), bytes.count - start)
            {
                count += 1
                start = UnsafeRawPointer(slash) - UnsafeRawPointer(base) + 1
            }
            return count
        }
        return utf8.withContiguousStorageIfAvailable(count) ?? utf8.reduce(0) { $1 == UInt8(ascii: "/") ? $0 + 1 : $0 }
    }

    package func hash(into hasher: inout Hasher) {
        let isHashed: Void? = utf8.withContiguousStorageIfAvailable { bytes in
            hasher.combine(bytes: UnsafeRawBufferPointer(bytes))
        }
        if isHashed == nil { for byte in utf8 { hasher.combine(byte) } }
        // This byte marks the end of the path. No path contains it.
        hasher.combine(0xFF as UInt8)
    }

    package static func < (left: ExactPath, right: ExactPath) -> Bool {
        left.utf8.lexicographicallyPrecedes(right.utf8)
    }
}

extension UnsafeBufferPointer<UInt8> {
    fileprivate func begins(with start: UnsafeBufferPointer<UInt8>) -> Bool {
        guard count >= start.count else { return false }
        guard let base = baseAddress, let other = start.baseAddress else { return start.isEmpty }
        return memcmp(base, other, start.count) == 0
    }
}
