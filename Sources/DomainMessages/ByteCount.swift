/// Parses and formats numbers of bytes as users write them: `500M`, `1.5G`, `10GiB`. Units are powers of 1024.
package enum ByteCount {
    private static let units: [(letter: Character, shift: Int64)] = [("K", 10), ("M", 20), ("G", 30), ("T", 40)]

    /// The lowest number that is rejected. It is more than any disk has, and small enough for sums in 64 bits.
    private static let most = Double(Int64(1) << 60)

    /// Returns the number of bytes that the given text denotes; `nil` if the text is malformed. A number without a unit
    /// is a number of bytes.
    package static func read(_ text: String) -> Int64? {
        var digits = text[...]
        for suffix in ["iB", "ib", "B", "b"] where digits.hasSuffix(suffix) {
            digits.removeLast(suffix.count)
            break
        }
        var shift: Int64 = 0
        if let unit = units.first(where: { digits.last?.uppercased() == String($0.letter) }) {
            shift = unit.shift
            digits.removeLast()
        }
        guard !digits.isEmpty, digits.utf8.allSatisfy({ ($0 >= 48 && $0 <= 57) || $0 == 46 }),
            let number = Double(digits)
        else { return nil }
        let bytes = (number * Double(Int64(1) << shift)).rounded()
        return bytes < most ? Int64(bytes) : nil
    }

    /// Returns the given number of bytes as text for users: `1.5 GiB`, `12 bytes`.
    package static func text(_ bytes: Int64) -> String {
        guard let unit = units.last(where: { bytes >= 1 << $0.shift }) else { return "\(bytes) bytes" }
        let tenths = (Double(bytes) / Double(Int64(1) << unit.shift) * 10).rounded(.down)
        let number = tenths.truncatingRemainder(dividingBy: 10) == 0 ? "\(Int64(tenths / 10))" : "\(tenths / 10)"
        return "\(number) \(unit.letter)iB"
    }
}
