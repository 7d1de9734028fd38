/// Compresses by Huffman codes alone, looking for nothing that comes again: in the differences between the pixels of a photograph
/// hardly anything does, and looking for it is what takes the time.
///
/// Source: RFC 1951.
struct HuffmanDeflate: ~Copyable {
    private let output: UnsafeMutablePointer<UInt8>
    private var position = 0
    /// Bits that are not yet a byte, the first in the lowest place.
    private var bits: UInt64 = 0
    private var bitCount: UInt64 = 0

    /// Bytes of a block, which a block that is stored as it is can hold.
    private static let blockSize = 65_535
    private static let endOfBlock = 256
    /// Four codes fit beside the seven bits that may be left over.
    private static let longestCode = 14

    /// The most bytes that so many come to.
    static func bound(_ count: Int) -> Int {
        // Each may have the longest code: codes are made for a sample. Words are written whole.
        (count * longestCode + (count / blockSize + 1) * (headSize + longestCode)) / 8 + 16
    }

    /// - Parameter output: room for ``bound(_:)`` bytes.
    private init(output: UnsafeMutablePointer<UInt8>) { self.output = output }

    /// Compresses bytes into a room of ``bound(_:)`` bytes.
    ///
    /// - Returns: how many it comes to.
    static func compress(_ bytes: UnsafeBufferPointer<UInt8>, into output: UnsafeMutablePointer<UInt8>) -> Int {
        var deflate = HuffmanDeflate(output: output)
        var start = 0
        repeat {
            let end = min(start + blockSize, bytes.count)
            deflate.write(UnsafeBufferPointer(rebasing: bytes[start..<end]), isLast: end == bytes.count)
            start = end
        } while start < bytes.count
        return deflate.end()
    }

    // MARK: Blocks

    private mutating func write(_ block: UnsafeBufferPointer<UInt8>, isLast: Bool) {
        let counts = Self.counts(of: block)
        let lengths = HuffmanCode.lengths(for: counts, longest: Self.longestCode)
        var size = Self.headSize
        for (count, length) in zip(counts, lengths) { size += Int(count) * Int(length) }
        // What the sample promises, against the header of a stored block, at most: three bits, filled up to a byte, and two numbers.
        guard size < (block.count + 4) * 8 else { return store(block, isLast: isLast) }
        append(isLast ? 1 : 0, 1)
        append(2, 2)
        writeLengths(lengths)
        let codes = HuffmanCode.codes(of: lengths)
        write(block, codes)
        append(codes[Self.endOfBlock] & 0xFFFF, codes[Self.endOfBlock] >> 16)
        flush()
    }

    /// Bits before the first code.
    private static let headSize = 3 + 14 + 19 * 3 + (257 + 2) * 4

    /// How long the codes are. Each length is written in four bits: a shorter way would save a hundred bytes in a block.
    private mutating func writeLengths(_ lengths: [UInt8]) {
        // 257 codes of bytes and the end, 2 of distances, 19 of lengths.
        append(0, 5)
        append(1, 5)
        append(15, 4)
        // The first three stand for repetitions, of which there are none.
        for index in 0..<19 { append(index < 3 ? 0 : 4, 3) }
        flush()
        // No distance is used; two codes of one bit are what every reader takes.
        for length in lengths + [1, 1] {
            append(HuffmanCode.reversed(UInt64(length), 4), 4)
            flush()
        }
    }

    private mutating func write(_ block: UnsafeBufferPointer<UInt8>, _ codes: [UInt64]) {
        // In registers, and not where other writes might reach.
        var (bits, bitCount, target) = (bits, bitCount, output + position)
        codes.withUnsafeBufferPointer { codes in
            var index = 0
            while index + 4 <= block.count {
                for offset in 0..<4 {
                    let code = codes[Int(block[index &+ offset])]
                    bits |= (code & 0xFFFF) &<< bitCount
                    bitCount &+= code &>> 16
                }
                UnsafeMutableRawPointer(target).storeBytes(of: bits.littleEndian, as: UInt64.self)
                target += Int(truncatingIfNeeded: bitCount &>> 3)
                bits &>>= bitCount & ~7
                bitCount &= 7
                index &+= 4
            }
            while index < block.count {
                let code = codes[Int(block[index])]
                bits |= (code & 0xFFFF) &<< bitCount
                bitCount &+= code &>> 16
                UnsafeMutableRawPointer(target).storeBytes(of: bits.littleEndian, as: UInt64.self)
                target += Int(truncatingIfNeeded: bitCount &>> 3)
                bits &>>= bitCount & ~7
                bitCount &= 7
                index &+= 1
            }
        }
        (self.bits, self.bitCount, position) = (bits, bitCount, target - output)
    }

    private mutating func store(_ block: UnsafeBufferPointer<UInt8>, isLast: Bool) {
        append(isLast ? 1 : 0, 1)
        append(0, 2)
        fillByte()
        let count = UInt64(block.count)
        append(count, 16)
        append(~count & 0xFFFF, 16)
        flush()
        if let first = block.baseAddress { (output + position).update(from: first, count: block.count) }
        position += block.count
    }

    // MARK: Bits

    private mutating func append(_ value: UInt64, _ count: UInt64) {
        bits |= value &<< bitCount
        bitCount += count
        if bitCount >= 32 { flush() }
    }

    /// Writes out what is whole.
    private mutating func flush() {
        UnsafeMutableRawPointer(output + position).storeBytes(of: bits.littleEndian, as: UInt64.self)
        position += Int(bitCount >> 3)
        bits &>>= bitCount & ~7
        bitCount &= 7
    }

    private mutating func fillByte() {
        bitCount = (bitCount + 7) & ~7
        flush()
    }

    private mutating func end() -> Int {
        fillByte()
        return position
    }

    /// Of so many bytes four are counted: all of them would cost half as much as writing them does, and save next to nothing.
    private static let sampleDistance = 16

    /// How often each byte is likely to come, at least once, for it may come where nobody has looked; and the end once.
    private static func counts(of block: UnsafeBufferPointer<UInt8>) -> [UInt32] {
        // Four tables: counting the same one twice in a row waits for the first to be stored.
        let tables = [UInt32](unsafeUninitializedCapacity: 4 * 256) { tables, count in
            tables.initialize(repeating: 0)
            var index = 0
            while index + 4 <= block.count {
                for offset in 0..<4 { tables[offset &* 256 &+ Int(block[index &+ offset])] &+= 1 }
                index &+= sampleDistance
            }
            count = 4 * 256
        }
        let weight = UInt32(sampleDistance / 4)
        let counts = (0..<256).map { byte in
            weight * (tables[byte] + tables[256 + byte] + tables[512 + byte] + tables[768 + byte]) + 1
        }
        return counts + [1]
    }
}
