import Glibc

extension String {
    /// Whether this string and the given one have the same bytes. `==` is also true for different Unicode normal forms
    /// of the same text, which are different file names.
    package func hasSameBytes(as other: String) -> Bool {
        guard utf8.count == other.utf8.count else { return false }
        // The bytes of a string are nearly always contiguous, and contiguous bytes are compared many times faster.
        return utf8.withContiguousStorageIfAvailable { one in
            other.utf8.withContiguousStorageIfAvailable { other in
                UnsafeRawBufferPointer(one).hasSameBytes(as: UnsafeRawBufferPointer(other))
            }
        }.flatMap { $0 } ?? utf8.elementsEqual(other.utf8)
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
