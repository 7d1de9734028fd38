/// The format of the buckets in the file: one row per bucket, with the entries in any order.
enum LookupBuckets {
    static let leastBits: UInt64 = 4
    private static let mostBits: UInt64 = 27
    /// The average number of entries of a bucket. A full bucket fits into a page, so the average is about half of
    /// that.
    private static let averageCount = 448

    /// Returns the row of a bucket. The row depends on the number of bits, so that the table can contain buckets for
    /// two numbers of bits at once.
    static func key(_ bucket: UInt64, bits: UInt64) -> Int64 { Int64(1 << bits | bucket) }

    static func bits(for count: Int) -> UInt64 {
        var bits = leastBits
        while bits < mostBits, count > averageCount << Int(bits) { bits += 1 }
        return bits
    }

    static func find(_ hash: UInt64, _ bytes: UnsafeRawBufferPointer, _ numbers: inout [ItemNumber]) {
        for offset in stride(from: 0, to: bytes.count - 7, by: 8) {
            let entry = LookupEntry(rawValue: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
            if entry.isOf(hash) { numbers.append(entry.number) }
        }
    }

    static func entries(_ bytes: UnsafeRawBufferPointer) -> [UInt64] {
        [UInt64](unsafeUninitializedCapacity: bytes.count / 8) { buffer, count in
            count = bytes.count / 8
            for index in 0..<count {
                buffer[index] = bytes.loadUnaligned(fromByteOffset: index * 8, as: UInt64.self)
            }
        }
    }
}
