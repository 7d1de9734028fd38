import CSwiftRuntime
import Foundation

/// Names of functions as a programmer writes them, of names that a stranger may have made up.
///
/// A mangled name refers to its own parts by number, and a part that refers to another twice is twice as long as that.
/// So 300 bytes stand for a name of terabytes, and the language's runtime sets no limit.
enum ReadableName {
    /// Bytes of a readable name, about, that a mangled one may come to: few of a compiler's making come near.
    private static let most = 1 << 19
    private static let longest = 1000

    /// Returns the readable name, or the name as it is where that is none of the language's or may be too long.
    static func of(_ name: String) -> String {
        guard isBounded(name) else { return name }
        let readable = name.withCString { swift_demangle($0, strlen($0), nil, nil, 0) }
        guard let readable else { return name }
        defer { free(readable) }
        return String(cString: readable)
    }

    /// Whether the readable name is of moderate length, whatever the mangled one says.
    static func isBounded(_ name: String) -> Bool {
        let bytes = Array(name.utf8)
        // Names of early versions of the language refer to their parts in another way.
        guard bytes.count <= longest, name.hasPrefix("$s") || name.hasPrefix("_$s") || name.hasPrefix("$S") else {
            return false
        }
        let references = references(in: bytes)
        return references < 20 && bytes.count << references <= most
    }

    /// Returns at least the number of references to parts of the name: `A` in an identifier counts as one, too.
    ///
    /// After an `A` come letters, of which the last is a capital, or a number with an underscore; a number before a letter
    /// says how often the part is meant.
    private static func references(in bytes: [UInt8]) -> Int {
        var count = 0
        var place = 0
        while place < bytes.count {
            defer { place += 1 }
            guard bytes[place] == UInt8(ascii: "A") else { continue }
            var goesOn = true
            while goesOn {
                var times = 0
                while place + 1 < bytes.count, case UInt8(ascii: "0")...UInt8(ascii: "9") = bytes[place + 1] {
                    times = min(times * 10 + Int(bytes[place + 1] - UInt8(ascii: "0")), longest)
                    place += 1
                }
                count += max(1, times)
                goesOn = false
                if place + 1 < bytes.count, case UInt8(ascii: "a")...UInt8(ascii: "z") = bytes[place + 1] {
                    place += 1
                    goesOn = true
                }
            }
        }
        return count
    }
}
