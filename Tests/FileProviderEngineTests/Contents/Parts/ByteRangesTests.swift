import FileProviderEngine
import ItemStore
import Testing

@Suite struct ByteRangesTests {
    @Test func rangesThatTouchAreOne() {
        var ranges = ByteRanges([10..<20, 30..<40])
        ranges.insert(20..<25)
        #expect(ranges.ranges == [10..<25, 30..<40])
        ranges.insert(24..<30)
        #expect(ranges.ranges == [10..<40])
        ranges.insert(0..<100)
        #expect(ranges.ranges == [0..<100] && ranges.count == 100)
    }

    @Test func gapsAreWhatIsMissing() {
        let ranges = ByteRanges([10..<20, 30..<40])
        #expect(ranges.gaps(in: 0..<50) == [0..<10, 20..<30, 40..<50])
        #expect(ranges.gaps(in: 12..<18).isEmpty)
        #expect(ranges.gaps(in: 15..<35) == [20..<30])
        #expect(ranges.gaps(in: 20..<20).isEmpty)
        #expect(ranges.contains(30..<40) && !ranges.contains(29..<40) && !ranges.contains(19..<31))
        #expect(ranges.contains(25..<25))
    }

    @Test func theEndOfAllNumbersIsNoTrap() {
        var ranges = ByteRanges([Int64.max - 10..<Int64.max])
        #expect(ranges.gaps(in: 0..<Int64.max) == [0..<Int64.max - 10])
        ranges.insert(0..<Int64.max)
        #expect(ranges.count == .max)
        #expect(PartBlocks.around(Int64.max - 1..<Int64.max, size: .max).upperBound == .max)
        #expect(PartBlocks.around(5..<10, size: -1).isEmpty)
    }

    /// Compares random ranges with an array that has a Boolean for each byte.
    @Test func anyRangesAddUpToTheirBytes() {
        var random = SystemRandomNumberGenerator()
        for _ in 0..<50 {
            var ranges = ByteRanges()
            var bytes = [Bool](repeating: false, count: 200)
            for _ in 0..<30 {
                let start = Int.random(in: 0..<200, using: &random)
                let end = Int.random(in: start...min(200, start + 20), using: &random)
                ranges.insert(Int64(start)..<Int64(end))
                for index in start..<end { bytes[index] = true }
                #expect(ranges.count == Int64(bytes.count { $0 }))
                let gaps = ranges.gaps(in: 0..<200).flatMap { Array($0) }
                #expect(gaps == bytes.indices.filter { !bytes[$0] }.map { Int64($0) })
            }
            var writer = ByteWriter()
            ranges.write(to: &writer)
            var reader = ByteReader(writer.bytes)
            #expect((try? ByteRanges(&reader)) == ranges)
        }
    }

    @Test func rangesThatCannotBeAreADamagedRow() {
        for numbers in [[1, -5, 10], [2, 0, 10, 0, 0], [1, Int64.max, 10], [2, 0, 10, -3, 4]] as [[Int64]] {
            var writer = ByteWriter()
            for number in numbers { writer.signed(number) }
            var reader = ByteReader(writer.bytes)
            #expect(throws: IndexError.self, "\(numbers)") { _ = try ByteRanges(&reader) }
        }
    }

    @Test func theLargestAreWrittenDown() {
        #expect(ByteRanges([0..<1, 10..<20, 30..<35]).largest(2).ranges == [10..<20, 30..<35])
    }
}

@Suite struct ReadAheadTests {
    private let size: Int64 = 1 << 30

    @Test func randomReadsHaveNoReadAhead() {
        var ahead = ReadAhead()
        for place in [500 << 20, 20 << 20, 900 << 20, 0] as [Int64] {
            #expect(ahead.note(place..<place + 4096, size: size) == nil)
        }
    }

    @Test func sequentialReadsHaveGrowingReadAhead() {
        var ahead = ReadAhead()
        var asked: Int64 = PartBlocks.size
        var largest: Int64 = 0
        for place in stride(from: Int64(0), to: 256 << 20, by: 128 << 10) {
            guard let range = ahead.note(place..<place + (128 << 10), size: size) else { continue }
            #expect(range.lowerBound == asked)
            #expect(range.length <= max(ReadAhead.least, largest * 2))
            (asked, largest) = (range.upperBound, max(largest, range.length))
            #expect(asked >= place + (128 << 10))
        }
        #expect(largest == ReadAhead.most)
    }

    @Test func repeatedReadsRequestNothing() {
        var ahead = ReadAhead()
        var count = 0
        for round in 0..<100 {
            let place = Int64(round % 4) * 4096
            if ahead.note(place..<place + 4096, size: size) != nil { count += 1 }
        }
        #expect(count <= 1)
    }

    @Test func nothingIsBehindTheEnd() {
        var ahead = ReadAhead()
        let size: Int64 = 5 << 20
        var asked: Int64 = 0
        for place in stride(from: Int64(0), to: size, by: 128 << 10) {
            if let range = ahead.note(place..<place + (128 << 10), size: size) { asked = range.upperBound }
        }
        #expect(asked == size)
    }
}
