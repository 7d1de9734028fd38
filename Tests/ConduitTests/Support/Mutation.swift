import FileTesting

extension Array where Element == UInt8 {
    /// Returns the bytes after a few random changes that tend to upset parsers: bytes flipped, replaced by
    /// significant ones, removed, duplicated or truncated.
    func mutated(using random: inout RandomNumbers) -> [UInt8] {
        var bytes = self
        let telling: [UInt8] = [
            0x00, 0x18, 0x1B, 0x1F, 0x3B, 0x5F, 0x7F, 0x9B, 0x9F, 0xBB, 0xBF, 0xDB, 0xF6, 0xFB, 0xFF,
        ]
        for _ in 0..<Int.random(in: 1...4, using: &random) where !bytes.isEmpty {
            let place = Int.random(in: 0..<bytes.count, using: &random)
            switch Int.random(in: 0..<6, using: &random) {
            case 0: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            case 1: bytes[place] = telling[Int.random(in: 0..<telling.count, using: &random)]
            case 2: bytes.remove(at: place)
            case 3: bytes.insert(.random(in: 0...255, using: &random), at: place)
            case 4: bytes.removeLast(bytes.count - place)
            default: bytes.insert(contentsOf: bytes[place...].prefix(8), at: place)
            }
        }
        return bytes
    }
}
