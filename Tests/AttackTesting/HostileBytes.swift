import FileTesting

/// CBOR that is almost well-formed, or not at all.
package enum HostileBytes {
    /// The heads of CBOR items that announce far more elements than follow: byte strings, texts, arrays and maps.
    private static let hugeHeads = [0x5B, 0x7B, 0x9B, 0xBB].flatMap { (type: UInt8) -> [[UInt8]] in
        let counts: [[UInt8]] = [
            [UInt8](repeating: 0xFF, count: 8), [0x7F] + [UInt8](repeating: 0xFF, count: 7), [0, 0, 0, 1, 0, 0, 0, 0],
        ]
        return counts.map { [type] + $0 }
    }

    /// Returns the given bytes with one fault.
    package static func broken(_ bytes: [UInt8], _ numbers: inout RandomNumbers) -> [UInt8] {
        var bytes = bytes
        guard !bytes.isEmpty else { return numbers.bytes(numbers.below(100)) }
        let place = numbers.below(bytes.count)
        switch numbers.below(7) {
        case 0:
            for _ in 0...numbers.below(8) { bytes[numbers.below(bytes.count)] ^= 1 << UInt8(numbers.below(8)) }
        case 1: bytes.removeLast(bytes.count - place)
        case 2: bytes.replaceSubrange(place..., with: hugeHeads[numbers.below(hugeHeads.count)])
        case 3: bytes.replaceSubrange(place..., with: nested(&numbers))
        case 4: bytes += numbers.bytes(1 + numbers.below(60_000))
        case 5: bytes.insert(contentsOf: numbers.bytes(1 + numbers.below(8)), at: place)
        // Items of indefinite length, which may never end, and reserved heads.
        default: bytes[place] = [0x5F, 0x7F, 0x9F, 0xBF, 0xFF, 0x1C, 0x3D, 0xFC][numbers.below(8)]
        }
        return bytes
    }

    /// Returns nested containers, thousands deep.
    private static func nested(_ numbers: inout RandomNumbers) -> [UInt8] {
        let heads: [[UInt8]] = [[0x81], [0x9F], [0xC1], [0xA1, 0x00], [0xBF, 0x00], [0x82, 0x00]]
        let head = heads[numbers.below(heads.count)]
        return (0..<1 + numbers.below(30_000)).flatMap { _ in head }
    }
}
