/// How far ahead of one reader parts are asked for: not at all where somebody jumps, and more and more where somebody reads on.
package struct ReadAhead: Sendable {
    package static let least: Int64 = 256 << 10
    package static let most: Int64 = 16 << 20
    /// The kernel asks for what lies beside each other in any order.
    private static let disorder: Int64 = 1 << 20

    /// Where somebody goes on who reads on.
    private var next: Int64?
    private var window: Int64 = 0
    /// Up to here was asked for.
    private var asked: Int64 = 0

    package init() {}

    /// Notes what is read.
    ///
    /// - Parameter size: the file's, in bytes.
    /// - Returns: what to ask for besides; `nil` for nothing.
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
        // Asked for when half of what was asked for before is read: by the time that all of it is, this is here.
        guard asked < size, asked - end <= window / 2 else { return nil }
        window = min(max(window * 2, Self.least), Self.most)
        let start = asked
        asked = size - start <= window ? size : start + window
        return start..<asked
    }
}

/// Parts are asked for in whole blocks, so that many small reads beside each other are one.
package enum PartBlocks {
    package static let size: Int64 = 256 << 10

    /// The blocks that a range touches, as far as the file goes.
    ///
    /// - Parameter size: the file's, in bytes.
    package static func around(_ range: Range<Int64>, size: Int64) -> Range<Int64> {
        let range = range.clamped(to: 0..<max(0, size))
        guard !range.isEmpty else { return range }
        let start = range.lowerBound / Self.size * Self.size
        let last = (range.upperBound - 1) / Self.size * Self.size
        return start..<(size - last <= Self.size ? size : last + Self.size)
    }
}
