import CRuntimeSupport
import Glibc

/// Reads mangled names: names of Swift declarations in the form that the compiler generates. The names are not trusted,
/// because another process may have sent any bytes.
///
/// A mangled name refers to its own parts by number. When demangled, a part that refers twice to another part is at
/// least twice as long as that part. Therefore a mangled name of 300 bytes can represent a name of terabytes. An
/// identifier can also refer to words of earlier identifiers, each by one letter. Swift's runtime does not limit the
/// size of the demangled name.
package enum MangledName {
    /// Returns the demangled name.
    ///
    /// - Parameter most: the approximate maximum size, in bytes, of the result.
    /// - Returns: `nil` if `name` is not a mangled name, or if the demangled name may exceed the maximum size.
    package static func readable(_ name: String, atMost most: Int) -> String? {
        isBounded(name, by: most) ? readable(name) : nil
    }

    /// Returns the demangled name; `nil` if `name` is not a mangled name. `name` must come from this process, because
    /// the size of the result is not limited.
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
        guard references < 32, bytes.count < 1 << 16 else { return false }
        let size = bytes.count + wordReferences(in: bytes) * longestWord(in: bytes)
        return size <= most >> references
    }

    /// Returns an upper bound of the number of words that identifiers refer to. An identifier with such references
    /// begins with a 0 in place of its length, and has a letter for each word. Every letter after the first 0 is
    /// counted, because text may stand between these letters.
    private static func wordReferences(in bytes: [UInt8]) -> Int {
        bytes.drop { $0 != UInt8(ascii: "0") }.count { isLetter($0) }
    }

    /// Returns an upper bound of the length of a word. A word ends before an underscore, and before a capital letter
    /// that follows another character.
    private static func longestWord(in bytes: [UInt8]) -> Int {
        var (longest, length) = (0, 0)
        for (place, byte) in bytes.enumerated() {
            let isCapital = { (byte: UInt8) in (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) }
            let ends = byte == UInt8(ascii: "_") || isCapital(byte) && place > 0 && !isCapital(bytes[place - 1])
            length = ends ? 1 : length + 1
            longest = max(longest, length)
        }
        return longest
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }

    /// Returns an upper bound of the number of references to parts of the mangled name. Each `A` is counted as the
    /// start of a reference, even if it belongs to an identifier.
    ///
    /// In a reference, the `A` is followed by letters, the last of which is a capital letter, or by a number and an
    /// underscore. A number before a letter says how often the reference is repeated.
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
