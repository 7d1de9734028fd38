import Conduit
import FileTesting

/// CBOR items that a decoder must reject or treat with care.
package enum HostileValues {
    /// Returns a random item, unrelated to the expected one.
    package static func any(_ numbers: inout RandomNumbers, depth: Int = 0) -> CBORValue {
        switch numbers.below(depth > 3 ? 9 : 12) {
        case 0: return .unsigned([0, 1, 23, 24, 255, 1 << 32, .max >> 1, 1 << 63, .max][numbers.below(9)])
        case 1: return .negative([0, 1, .max >> 1, 1 << 63, .max][numbers.below(5)])
        case 2: return .unsigned(numbers.next())
        case 3: return .bytes(numbers.bytes(numbers.below(300)))
        case 4: return text(&numbers)
        case 5:
            let values: [Double] = [
                .nan, .infinity, -.infinity, 1e300, -1e300, 1e19, -1e19, .leastNonzeroMagnitude, -0.0, 0.5,
            ]
            return .float(values[numbers.below(values.count)])
        case 6: return [.null, .undefined, .bool(true), .bool(false), .simple(0), .simple(255)][numbers.below(6)]
        case 7: return .unsigned(UInt64(numbers.below(300)))
        case 8: return .tagged(numbers.next() >> UInt64(numbers.below(64)), .unsigned(0))
        case 9: return .array((0..<numbers.below(6)).map { _ in any(&numbers, depth: depth + 1) })
        case 10:
            return .array(
                [CBORValue](repeating: .unsigned(numbers.next() >> 60), count: numbers.below(30_000 >> depth)))
        default:
            return .map(
                (0..<numbers.below(6)).map { index in
                    let key: CBORValue = numbers.below(6) == 0 ? any(&numbers, depth: 4) : .unsigned(UInt64(index))
                    return (key, any(&numbers, depth: depth + 1))
                })
        }
    }

    private static func text(_ numbers: inout RandomNumbers) -> CBORValue {
        let texts = [
            "", "/", "..", "../../../../../../etc/passwd", "a/../b", "\0", "a\0b", "/proc/self/mem", "\u{202E}x",
            "%s%n", "~",
            String(repeating: "/", count: 5000), String(repeating: "e\u{301}", count: 200), "-1", "org.example.none",
        ]
        return .text(texts[numbers.below(texts.count)])
    }

    /// Returns a copy of an item with some random differences.
    package static func mutated(_ value: CBORValue, _ numbers: inout RandomNumbers) -> CBORValue {
        if numbers.below(12) == 0 { return any(&numbers) }
        switch value {
        case .array(var items):
            switch numbers.below(10) {
            case 0: if let last = items.last { items += [CBORValue](repeating: last, count: numbers.below(2000)) }
            case 1: if !items.isEmpty { items.removeLast() }
            default: break
            }
            return .array(items.count > 50 ? items : items.map { mutated($0, &numbers) })
        case .map(var pairs):
            switch numbers.below(10) {
            case 0: if !pairs.isEmpty { pairs.remove(at: numbers.below(pairs.count)) }
            case 1: if let last = pairs.last { pairs.append(last) }
            case 2: pairs.reverse()
            case 3: pairs.append((.unsigned(UInt64(numbers.below(30))), any(&numbers, depth: 2)))
            case 4: pairs.append((any(&numbers, depth: 4), .null))
            default: break
            }
            return .map(pairs.map { ($0.key, mutated($0.value, &numbers)) })
        case .unsigned(let number):
            return .unsigned(numbers.below(3) == 0 ? number &+ UInt64(numbers.below(3)) &- 1 : number)
        default: return value
        }
    }
}
