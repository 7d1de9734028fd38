/// A small generator (splitmix64) whose numbers are the same for the same seed on every machine.
package struct RandomNumbers: RandomNumberGenerator {
    private var state: UInt64

    package init(seed: UInt64) { state = seed }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    package mutating func below(_ bound: Int) -> Int { bound <= 1 ? 0 : Int(next() % UInt64(bound)) }

    /// Returns bytes that identify a write, because no two calls return the same bytes.
    package mutating func bytes(_ count: Int) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: count) { room, initializedCount in
            let bytes = UnsafeMutableRawBufferPointer(room)
            var offset = 0
            while offset + 8 <= count {
                bytes.storeBytes(of: next().littleEndian, toByteOffset: offset, as: UInt64.self)
                offset += 8
            }
            var rest = next()
            while offset < count {
                bytes[offset] = UInt8(truncatingIfNeeded: rest)
                rest >>= 8
                offset += 1
            }
            initializedCount = count
        }
    }
}
