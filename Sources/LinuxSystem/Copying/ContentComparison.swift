import Glibc

/// Compares the contents of two files.
package enum ContentComparison {
    /// Whether two files contain the same bytes. Blocks while both files are read.
    package static func areEqual(_ one: FileDescriptor, _ other: FileDescriptor) throws(Errno) -> Bool {
        guard try one.status().size == other.status().size else { return false }
        return try areEqual(one, other, in: 0..<Int.max)
    }

    /// Whether two files contain the same bytes in the given range. If both files end within the range, the rest of the
    /// range counts as equal.
    package static func areEqual(
        _ one: FileDescriptor, _ other: FileDescriptor, in range: Range<Int>
    ) throws(Errno) -> Bool {
        let pieceSize = 1 << 20
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 2 * pieceSize, alignment: 4096)
        defer { buffer.deallocate() }
        let first = UnsafeMutableRawBufferPointer(rebasing: buffer[..<pieceSize])
        let second = UnsafeMutableRawBufferPointer(rebasing: buffer[pieceSize...])
        var offset = range.lowerBound
        while offset < range.upperBound {
            let length = min(pieceSize, range.upperBound - offset)
            let count = try one.fill(UnsafeMutableRawBufferPointer(rebasing: first[..<length]), at: offset)
            let others = try other.fill(UnsafeMutableRawBufferPointer(rebasing: second[..<length]), at: offset)
            guard others == count else { return false }
            if count == 0 { return true }
            guard let left = first.baseAddress, let right = second.baseAddress, memcmp(left, right, count) == 0 else {
                return false
            }
            offset += count
        }
        return true
    }
}

extension FileDescriptor {
    /// Reads from `offset` until the buffer is full or the file ends.
    ///
    /// - Returns: the number of bytes read.
    package func fill(_ buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(Errno) -> Int {
        var filled = 0
        while filled < buffer.count {
            let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[filled...])
            let count = try read(into: rest, at: offset + filled)
            if count == 0 { break }
            filled += count
        }
        return filled
    }
}
