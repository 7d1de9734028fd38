/// Some of the bytes of a file: ranges in their order, none of them empty, with gaps between them.
package struct ByteRanges: Sendable, Equatable {
    package private(set) var ranges: [Range<Int64>] = []
    /// How many bytes these are.
    package private(set) var count: Int64 = 0

    package init() {}

    package init(_ ranges: some Sequence<Range<Int64>>) {
        for range in ranges { insert(range) }
    }

    package var isEmpty: Bool { ranges.isEmpty }

    /// The first range that ends behind a place; the number of ranges where none does.
    private func index(endingAfter place: Int64) -> Int {
        var (low, high) = (0, ranges.count)
        while low < high {
            let middle = (low + high) / 2
            if ranges[middle].upperBound > place { high = middle } else { low = middle + 1 }
        }
        return low
    }

    /// Whether all bytes of a range are among them; of no bytes all are.
    package func contains(_ range: Range<Int64>) -> Bool {
        if range.isEmpty { return true }
        let index = index(endingAfter: range.lowerBound)
        return index < ranges.count && ranges[index].lowerBound <= range.lowerBound
            && ranges[index].upperBound >= range.upperBound
    }

    /// Adds bytes, which may be there already. Nothing is before the file's beginning.
    package mutating func insert(_ range: Range<Int64>) {
        var added = range.clamped(to: 0..<Int64.max)
        guard !added.isEmpty else { return }
        // What only touches it becomes one with it.
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

    /// What of a range is not among them, in its order.
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

    /// The largest of the ranges, where there are more than so many.
    package func largest(_ limit: Int) -> ByteRanges {
        guard ranges.count > limit else { return self }
        return ByteRanges(ranges.sorted { $0.length > $1.length }.prefix(limit))
    }
}

extension Range<Int64> {
    /// How many bytes; neither bound is negative.
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

    package init(_ reader: inout ByteReader) throws(IndexFailure) {
        var place: Int64 = 0
        for _ in 0..<(try reader.number()) {
            let (start, isTooFar) = place.addingReportingOverflow(try reader.signed())
            let (end, isTooLong) = start.addingReportingOverflow(try reader.signed())
            guard !isTooFar, !isTooLong, start >= place, end > start else { throw ByteReader.damage }
            insert(start..<end)
            place = end
        }
    }

    static func skip(_ reader: inout ByteReader) throws(IndexFailure) {
        for _ in 0..<(try reader.number()) {
            _ = try reader.number()
            _ = try reader.number()
        }
    }
}
