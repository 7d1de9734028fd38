/// Shell wildcards as in fnmatch(3): `*`, `?`, `[a-z]`, `[!a-z]`, and `\` before a literal character.
///
/// The time of a match is at most proportional to the product of the lengths of pattern and name. After a mismatch only
/// the last star is tried again: an earlier star could not lead to a match if the last star does not.
package enum Wildcard {
    /// Whether the pattern matches the whole name.
    ///
    /// - Parameter foldingCase: whether upper case ASCII letters of the name count as lower case.
    package static func matches(
        _ pattern: UnsafeRawBufferPointer, _ name: UnsafeRawBufferPointer, foldingCase: Bool
    ) -> Bool {
        var place = 0
        var position = 0
        var star: (place: Int, position: Int)?
        while position < name.count {
            if place < pattern.count, pattern[place] == UInt8(ascii: "*") {
                star = (place + 1, position)
                place += 1
            } else if let next = step(pattern, place, foldingCase ? name[position].foldedASCII : name[position]) {
                place = next
                // A wildcard matches a whole character, not only one of its bytes.
                let isCharacterEnd = pattern[next - 1] == UInt8(ascii: "?") || pattern[next - 1] == UInt8(ascii: "]")
                position += 1
                while isCharacterEnd, position < name.count, name[position] & 0xC0 == 0x80 { position += 1 }
            } else if let (retry, from) = star {
                position = nextCandidate(pattern, retry, name, from + 1, foldingCase)
                star = (retry, position)
                place = retry
            } else {
                return false
            }
        }
        while place < pattern.count, pattern[place] == UInt8(ascii: "*") { place += 1 }
        return place == pattern.count
    }

    /// Returns the next position at which the text after a star can start. If the pattern continues with an ordinary
    /// byte, only positions of this byte are considered.
    @inline(__always)
    private static func nextCandidate(
        _ pattern: UnsafeRawBufferPointer, _ place: Int, _ name: UnsafeRawBufferPointer, _ start: Int,
        _ foldingCase: Bool
    ) -> Int {
        guard place < pattern.count else { return name.count }
        let wanted = pattern[place]
        switch wanted {
        case UInt8(ascii: "?"), UInt8(ascii: "["), UInt8(ascii: "\\"): return start
        default: break
        }
        var position = start
        while position < name.count, (foldingCase ? name[position].foldedASCII : name[position]) != wanted {
            position += 1
        }
        return position
    }

    /// Returns the position after the pattern's element at `place` if this element matches the byte; otherwise `nil`.
    private static func step(_ pattern: UnsafeRawBufferPointer, _ place: Int, _ byte: UInt8) -> Int? {
        guard place < pattern.count else { return nil }
        switch pattern[place] {
        case UInt8(ascii: "?"):
            return place + 1
        case UInt8(ascii: "["):
            guard let (end, isMember) = set(pattern, place, byte) else {
                return byte == UInt8(ascii: "[") ? place + 1 : nil
            }
            return isMember ? end : nil
        case UInt8(ascii: "\\") where place + 1 < pattern.count:
            return pattern[place + 1] == byte ? place + 2 : nil
        default:
            return pattern[place] == byte ? place + 1 : nil
        }
    }

    /// Reads a bracket expression. Returns its end, and whether the byte is in it. Returns `nil` if the expression is
    /// not closed, so that `[` is an ordinary character.
    private static func set(
        _ pattern: UnsafeRawBufferPointer, _ start: Int, _ byte: UInt8
    ) -> (end: Int, isMember: Bool)? {
        var place = start + 1
        var isNegated = false
        if place < pattern.count, pattern[place] == UInt8(ascii: "!") || pattern[place] == UInt8(ascii: "^") {
            isNegated = true
            place += 1
        }
        var isMember = false
        var isFirst = true
        while place < pattern.count {
            let low = pattern[place]
            if low == UInt8(ascii: "]"), !isFirst { return (place + 1, isMember != isNegated) }
            isFirst = false
            if place + 2 < pattern.count, pattern[place + 1] == UInt8(ascii: "-"),
                pattern[place + 2] != UInt8(ascii: "]")
            {
                if low <= byte, byte <= pattern[place + 2] { isMember = true }
                place += 3
            } else {
                if low == byte { isMember = true }
                place += 1
            }
        }
        return nil
    }
}

extension UInt8 {
    /// The lower case of an upper case ASCII letter. Every other byte is unchanged.
    @inline(__always)
    var foldedASCII: UInt8 { self &- 0x41 < 26 ? self | 0x20 : self }
}
