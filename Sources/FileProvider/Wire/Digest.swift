/// A number of 128 bits made from bytes, the same in every process and on every day: FNV-1a. It tells versions apart; it is no
/// protection against whoever wants two of them to look alike.
struct Digest {
    private(set) var value: UInt128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d
    private static let prime: UInt128 = 0x0000_0000_0100_0000_0000_0000_0000_013b

    init(_ bytes: some Sequence<UInt8>) {
        for byte in bytes { value = (value ^ UInt128(byte)) &* Self.prime }
    }

    var low: UInt64 { UInt64(truncatingIfNeeded: value) }
    var bytes: [UInt8] { withUnsafeBytes(of: value.bigEndian) { Array($0) } }
}
