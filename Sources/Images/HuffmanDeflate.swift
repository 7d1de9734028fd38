/// A compressor that uses Huffman codes alone and does not search for repetitions. The differences between the pixels
/// of a photograph hardly ever repeat, and the search takes most of the time.
///
/// Source: RFC 1951.
struct HuffmanDeflate: ~Copyable {
    private let output: UnsafeMutablePointer<UInt8>
    private var position = 0
    /// The bits that were not written out yet, the first in the lowest place.
    private var bits: UInt64 = 0
    private var bitCount: UInt64 = 0

    /// The number of bytes that a block encodes. A stored (uncompressed) block can have no more.
    private static let blockSize = 65_535
    private static let endOfBlock = 256
    /// The maximum length of a code in bits. Four codes of this length fit into 64 bits beside up to seven left-over
    /// bits.
    private static let longestCode = 14

    /// Returns the maximum size in bytes of `count` bytes after compression.
    static func bound(_ count: Int) -> Int {
        // Each byte may get the longest code, since codes are made from a sample. The last write is a whole word.
        (count * longestCode + (count / blockSize + 1) * (headSize + longestCode)) / 8 + 16
    }

    /// Creates a compressor.
    ///
    /// - Parameter output: a buffer for ``bound(_:)`` bytes.
    private init(output: UnsafeMutablePointer<UInt8>) { self.output = output }

    /// Compresses bytes into a buffer of ``bound(_:)`` bytes.
    ///
    /// - Returns: the size of the compressed bytes.
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
        // The size estimated from the sample is compared with the size of a stored block, whose header contains two
        // numbers of 16 bits. The three bits before them and the padding to a whole byte are not counted.
        guard size < (block.count + 4) * 8 else { return store(block, isLast: isLast) }
        append(isLast ? 1 : 0, 1)
        append(2, 2)
        writeLengths(lengths)
        let codes = HuffmanCode.codes(of: lengths)
        write(block, codes)
        append(codes[Self.endOfBlock] & 0xFFFF, codes[Self.endOfBlock] >> 16)
        flush()
    }

    /// The size in bits of a block's header, including the lengths of the codes.
    private static let headSize = 3 + 14 + 19 * 3 + (257 + 2) * 4

    /// Writes the lengths of the codes, four bits each. A more compact form would save a hundred bytes per block.
    private mutating func writeLengths(_ lengths: [UInt8]) {
        // The block has 257 codes for bytes and the end of the block, 2 for distances, and 19 for the lengths of codes.
        append(0, 5)
        append(1, 5)
        append(15, 4)
        // The first three are the lengths of codes for repetitions, which are not used.
        for index in 0..<19 { append(index < 3 ? 0 : 4, 3) }
        flush()
        // No distance is used. Every reader accepts two codes of one bit.
        for length in lengths + [1, 1] {
            append(HuffmanCode.reversed(UInt64(length), 4), 4)
            flush()
        }
    }

    private mutating func write(_ block: UnsafeBufferPointer<UInt8>, _ codes: [UInt64]) {
        // Local variables stay in registers, since other writes cannot alias them.
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

    /// Writes out the complete bytes.
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

    /// The distance in bytes between two samples. Each sample is four bytes, whose values are counted. Counting all
    /// bytes would take half as long as writing them, and improve the compression very little.
    private static let sampleDistance = 16

    /// Returns the estimated frequency of each byte and, as the last element, 1 for the end of the block. A byte's
    /// frequency is at least 1, since the byte may occur outside of the sample.
    private static func counts(of block: UnsafeBufferPointer<UInt8>) -> [UInt32] {
        // Four tables are used, because a counter that is incremented twice in a row waits for the first store.
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
