/// The read-ahead of one handle. Random reads cause no read-ahead. Sequential reads double the size of the range that
/// is read ahead.
package struct ReadAhead: Sendable {
    package static let least: Int64 = 256 << 10
    package static let most: Int64 = 32 << 20
    /// The distance in bytes by which a read may begin before the expected offset and still count as sequential,
    /// because the kernel issues adjacent reads in any order.
    private static let disorder: Int64 = 1 << 20

    /// The offset at which a sequential reader is expected to continue; `nil` before the first read.
    private var next: Int64?
    private var window: Int64 = 0
    /// The offset up to which bytes were read or requested so far.
    private var asked: Int64 = 0

    package init() {}

    /// Records a read of the given range.
    ///
    /// - Parameter size: The size of the file, in bytes.
    /// - Returns: The range to request in advance; `nil` if there is none.
    package mutating func note(_ range: Range<Int64>, size: Int64) -> Range<Int64>? {
        guard let expected = next, range.lowerBound >= expected - min(expected, Self.disorder),
            range.lowerBound - expected <= Self.least
        else {
            (next, window, asked) = (range.upperBound, 0, PartBlocks.around(range, size: size).upperBound)
            return nil
        }
        let end = max(expected, range.upperBound)
        next = end
        asked = max(asked, end)
        // The next window is requested when half of the previous one has been read, so that it arrives before the
        // rest is read.
        guard asked < size, asked - end <= window / 2 else { return nil }
        window = min(max(window * 2, Self.least), Self.most)
        let start = asked
        asked = size - start <= window ? size : start + window
        return start..<asked
    }
}

/// Divides a file into blocks. Parts are requested in whole blocks, so that adjacent small reads share one request.
package enum PartBlocks {
    package static let size: Int64 = 256 << 10

    /// Returns the range of all blocks that overlap the given range, up to the end of the file.
    ///
    /// - Parameter size: The size of the file, in bytes.
    package static func around(_ range: Range<Int64>, size: Int64) -> Range<Int64> {
        let range = range.clamped(to: 0..<max(0, size))
        guard !range.isEmpty else { return range }
        let start = range.lowerBound / Self.size * Self.size
        let last = (range.upperBound - 1) / Self.size * Self.size
        return start..<(size - last <= Self.size ? size : last + Self.size)
    }
}
