/// The form of the buckets in the file: a row each, with its entries one after the other, in no order.
enum LookupBuckets {
    static let leastBits: UInt64 = 4
    private static let mostBits: UInt64 = 27
    /// A bucket fits into a page, so on average it is about half as large.
    private static let averageCount = 448

    /// Buckets of different numbers of bits have different rows, so that both can be there for a while.
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
