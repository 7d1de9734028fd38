/// A 128-bit FNV-1a hash of bytes, which is the same in every process. It distinguishes versions and names. The hash is
/// not cryptographic: collisions can be constructed.
package struct Digest {
    package private(set) var value: UInt128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d
    private static let prime: UInt128 = 0x0000_0000_0100_0000_0000_0000_0000_013b

    package init(_ bytes: some Sequence<UInt8> = []) { add(bytes) }

    package mutating func add(_ bytes: some Sequence<UInt8>) {
        for byte in bytes { value = (value ^ UInt128(byte)) &* Self.prime }
    }

    var low: UInt64 { UInt64(truncatingIfNeeded: value) }
    package var bytes: [UInt8] { withUnsafeBytes(of: value.bigEndian) { Array($0) } }
}
