import Foundation

/// Bytes that look random and are the same every time, so that both sides can make them.
enum Noise {
    /// How many bytes are made between two reports of progress.
    static let piece = 4 << 20

    /// The bytes from `offset` on, which is a multiple of ``piece``.
    static func fill(_ bytes: UnsafeMutableRawBufferPointer, offset: Int) {
        // xorshift64*, started anew for each piece.
        var state = UInt64(offset / piece) &* 0x9E37_79B9_7F4A_7C15 | 1
        let words = bytes.bindMemory(to: UInt64.self)
        for index in words.indices {
            state ^= state >> 12
            state ^= state << 25
            state ^= state >> 27
            words[index] = state &* 0x2545_F491_4F6C_DD1D
        }
    }

    /// Makes `size` bytes, a multiple of ``piece``. `report` is told how many there are so far, and answers whether to go
    /// on; nil when it does not.
    static func make(size: Int, report: (Int) -> Bool) -> Data? {
        var data = Data(count: size)
        let isWhole = data.withUnsafeMutableBytes { bytes in
            for offset in stride(from: 0, to: size, by: piece) {
                fill(UnsafeMutableRawBufferPointer(rebasing: bytes[offset..<offset + piece]), offset: offset)
                guard report(offset + piece) else { return false }
            }
            return true
        }
        return isWhole ? data : nil
    }

    /// Whether `data` is what ``make(size:report:)`` makes.
    static func matches(_ data: Data, size: Int) -> Bool {
        guard data.count == size else { return false }
        let expected = UnsafeMutableRawBufferPointer.allocate(byteCount: piece, alignment: 8)
        defer { expected.deallocate() }
        return data.withUnsafeBytes { bytes in
            for offset in stride(from: 0, to: size, by: piece) {
                fill(expected, offset: offset)
                guard let part = UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + piece]).baseAddress,
                    let wanted = expected.baseAddress, memcmp(part, wanted, piece) == 0
                else { return false }
            }
            return true
        }
    }
}
