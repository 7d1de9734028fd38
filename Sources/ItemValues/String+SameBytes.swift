import Glibc

extension String {
    /// Whether this string and the given one have the same bytes. `==` is also true for different Unicode normal forms
    /// of the same text, which are different file names.
    package func hasSameBytes(as other: String) -> Bool {
        var one = self
        var other = other
        return one.withUTF8 { one in
            other.withUTF8 { other in UnsafeRawBufferPointer(one).hasSameBytes(as: UnsafeRawBufferPointer(other)) }
        }
    }
}

extension UnsafeRawBufferPointer {
    /// Whether this buffer and the given one have the same bytes. Compares many bytes at a time.
    package func hasSameBytes(as other: UnsafeRawBufferPointer) -> Bool {
        guard count == other.count else { return false }
        guard let start = baseAddress, let otherStart = other.baseAddress else { return true }
        return memcmp(start, otherStart, count) == 0
    }
}
