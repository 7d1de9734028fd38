import Glibc

extension String {
    /// Whether two texts are the same bytes: names that only look alike, as of another Unicode normal form, are two.
    package func hasSameBytes(as other: String) -> Bool {
        var one = self
        var other = other
        return one.withUTF8 { one in
            other.withUTF8 { other in UnsafeRawBufferPointer(one).hasSameBytes(as: UnsafeRawBufferPointer(other)) }
        }
    }
}

extension UnsafeRawBufferPointer {
    /// Whether two pieces of memory hold the same; many bytes at a time, and not one by one.
    package func hasSameBytes(as other: UnsafeRawBufferPointer) -> Bool {
        guard count == other.count else { return false }
        guard let start = baseAddress, let otherStart = other.baseAddress else { return true }
        return memcmp(start, otherStart, count) == 0
    }
}
