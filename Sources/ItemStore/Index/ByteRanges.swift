/// A set of byte ranges of a file. The ranges are sorted and not empty. They neither overlap nor touch.
package struct ByteRanges: Sendable, Equatable {
    package private(set) var ranges: [Range<Int64>] = []
    /// The total number of bytes in the ranges.
    package private(set) var count: Int64 = 0

    package init() {}

    package init(_ ranges: some Sequence<Range<Int64>>) {
        for range in ranges { insert(range) }
    }

    package var isEmpty: Bool { ranges.isEmpty }

    /// Returns the index of the first range that ends after the given offset; the number of ranges if none does.
    private func index(endingAfter place: Int64) -> Int {
        var (low, high) = (0, ranges.count)
        while low < high {
            let middle = (low + high) / 2
            if ranges[middle].upperBound > place { high = middle } else { low = middle + 1 }
        }
        return low
    }

    /// Whether all bytes of the given range are in the set. Always `true` for an empty range.
    package func contains(_ range: Range<Int64>) -> Bool {
        if range.isEmpty { return true }
        let index = index(endingAfter: range.lowerBound)
        return index < ranges.count && ranges[index].lowerBound <= range.lowerBound
            && ranges[index].upperBound >= range.upperBound
    }

    /// Adds the given range, which may overlap existing ones. Bytes at negative offsets are ignored.
    package mutating func insert(_ range: Range<Int64>) {
        var added = range.clamped(to: 0..<Int64.max)
        guard !added.isEmpty else { return }
        // Adjacent ranges are merged, too.
        let first = added.lowerBound == 0 ? 0 : index(endingAfter: added.lowerBound - 1)
        var end = first
        while end < ranges.count, ranges[end].lowerBound <= added.upperBound {
            added =
                min(added.lowerBound, ranges[end].lowerBound)..<max(added.upperBound, ranges[end].upperBound)
            count -= ranges[end].length
            end += 1
        }
        ranges.replaceSubrange(first..<end, with: CollectionOfOne(added))
        count += added.length
    }

    /// Returns the portions of the given range that are not in the set, in ascending order.
    package func gaps(in range: Range<Int64>) -> [Range<Int64>] {
        var gaps: [Range<Int64>] = []
        var place = range.lowerBound
        var index = index(endingAfter: place)
        while place < range.upperBound {
            guard index < ranges.count, ranges[index].lowerBound < range.upperBound else {
                gaps.append(place..<range.upperBound)
                break
            }
            if ranges[index].lowerBound > place { gaps.append(place..<ranges[index].lowerBound) }
            place = ranges[index].upperBound
            index += 1
        }
        return gaps
    }

    /// Returns the `limit` largest ranges, or all ranges if there are fewer.
    package func largest(_ limit: Int) -> ByteRanges {
        guard ranges.count > limit else { return self }
        return ByteRanges(ranges.sorted { $0.length > $1.length }.prefix(limit))
    }
}

extension Range<Int64> {
    /// The number of bytes in the range. The bounds must not be negative.
    package var length: Int64 { upperBound - lowerBound }
}

// MARK: In the index

extension ByteRanges {
    package func write(to bytes: inout ByteWriter) {
        bytes.number(UInt64(ranges.count))
        var place: Int64 = 0
        for range in ranges {
            bytes.signed(range.lowerBound - place)
            bytes.signed(range.length)
            place = range.upperBound
        }
    }

    package init(_ reader: inout ByteReader) throws(IndexError) {
        var place: Int64 = 0
        for _ in 0..<(try reader.number()) {
            let (start, isTooFar) = place.addingReportingOverflow(try reader.signed())
            let (end, isTooLong) = start.addingReportingOverflow(try reader.signed())
            guard !isTooFar, !isTooLong, start >= place, end > start else { throw ByteReader.damage }
            insert(start..<end)
            place = end
        }
    }

    static func skip(_ reader: inout ByteReader) throws(IndexError) {
        for _ in 0..<(try reader.number()) {
            _ = try reader.number()
            _ = try reader.number()
        }
    }
}
