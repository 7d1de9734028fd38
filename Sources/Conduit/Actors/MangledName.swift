import CRuntimeSupport
import Glibc

/// Names as the compiler makes them, which a stranger may have made up.
///
/// A mangled name refers to its own parts by number, and a part that refers to another one twice is twice as long when
/// it is written out. So 300 bytes can stand for a name of terabytes, and the language's runtime sets no limit.
package enum MangledName {
    /// Returns the name as a programmer writes it.
    ///
    /// - Parameter most: the most bytes of it, about.
    /// - Returns: `nil` for what is no such name, and for what may be longer than that.
    package static func readable(_ name: String, atMost most: Int) -> String? {
        isBounded(name, by: most) ? readable(name) : nil
    }

    /// Returns the name, which this process has made itself, as a programmer writes it.
    static func readable(_ name: String) -> String? {
        var name = name
        let text = name.withUTF8 { bytes in
            bytes.withMemoryRebound(to: CChar.self) { swift_demangle($0.baseAddress, $0.count, nil, nil, 0) }
        }
        guard let text else { return nil }
        defer { free(text) }
        return String(cString: text)
    }

    private static func isBounded(_ name: String, by most: Int) -> Bool {
        // Names of early versions of the language refer to their parts in another way.
        guard name.hasPrefix("$s") || name.hasPrefix("_$s") || name.hasPrefix("$S") else { return false }
        let bytes = Array(name.utf8)
        let references = references(in: bytes)
        return references < 32 && bytes.count < 1 << 16 && bytes.count << references <= most
    }

    /// Returns at least the number of references to parts of the name: `A` in an identifier counts as one, too.
    ///
    /// After an `A` come letters, of which the last is a capital, or a number with an underscore. A number before a
    /// letter says how often the part is meant.
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
                    times = min(times * 10 + Int(bytes[place + 1] - UInt8(ascii: "0")), 1000)
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
