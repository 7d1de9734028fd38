/// The base-32 code of dynamic type identifiers: five bits to a character, highest first, no padding characters.
package enum Base32 {
    /// Letters and digits without i, j, l and o.
    private static let alphabet = Array("abcdefghkmnpqrstuvwxyz0123456789".utf8)

    /// The value of each ASCII character; 255 for characters that are not in the alphabet.
    private static let values: [UInt8] = {
        var values = [UInt8](repeating: 255, count: 128)
        for (value, character) in alphabet.enumerated() {
            values[Int(character)] = UInt8(value)
        }
        return values
    }()

    package static func encode(_ bytes: [UInt8], into text: inout [UInt8]) {
        text.reserveCapacity(text.count + (bytes.count * 8 + 4) / 5)
        alphabet.withUnsafeBufferPointer { alphabet in
            var bits: UInt32 = 0
            var count: UInt32 = 0
            for byte in bytes {
                bits = bits << 8 | UInt32(byte)
                count += 8
                while count >= 5 {
                    count -= 5
                    text.append(alphabet[Int(bits >> count & 31)])
                }
            }
            if count > 0 {
                text.append(alphabet[Int(bits << (5 - count) & 31)])
            }
        }
    }

    /// Decodes `text`.
    ///
    /// - Returns: nil if a character is not in the alphabet, if five or more bits are left over at the end, or if the
    ///   left-over bits are not zero.
    static func decode(_ text: some Sequence<UInt8>) -> [UInt8]? {
        var bytes: [UInt8] = []
        var bits: UInt32 = 0
        var count: UInt32 = 0
        for character in text {
            guard character < 128, values[Int(character)] != 255 else { return nil }
            bits = (bits << 5 | UInt32(values[Int(character)])) & 0xFFF
            count += 5
            if count >= 8 {
                count -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> count))
            }
        }
        guard count < 5, bits & (1 << count - 1) == 0 else { return nil }
        return bytes
    }
}
