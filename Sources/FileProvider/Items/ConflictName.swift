import Glibc

/// Alternative names for an item whose name another item already has.
package enum ConflictName {
    /// Returns “name (conflicted copy 2026-11-22).ext”, with a number if `number` is greater than 1.
    ///
    /// - Parameters:
    ///   - time: seconds since 1970. The day is that of the local time zone.
    ///   - number: 1 for the first copy.
    package static func conflictedCopy(of name: String, at time: Double, number: Int) -> String {
        var seconds = time_t(time)
        var parts = tm()
        localtime_r(&seconds, &parts)
        let day = [
            padded(Int(parts.tm_year) + 1900, 4), padded(Int(parts.tm_mon) + 1, 2), padded(Int(parts.tm_mday), 2),
        ]
        let words = number == 1 ? "" : " \(number)"
        return inserting(" (conflicted copy \(day.joined(separator: "-"))\(words))", into: name)
    }

    /// Returns “name (recovered).ext”, with a number if `number` is greater than 1.
    package static func recovered(_ name: String, number: Int) -> String {
        inserting(number == 1 ? " (recovered)" : " (recovered \(number))", into: name)
    }

    /// Returns a name with words inserted before its extension. If the result is too long for a file name, the part
    /// before the words is shortened.
    package static func inserting(_ words: String, into name: String) -> String {
        var base = name[...]
        var suffix = name[name.endIndex...]
        if let dot = name.lastIndex(of: "."), dot > name.startIndex, name[dot...].utf8.count <= 32 {
            base = name[..<dot]
            suffix = name[dot...]
        }
        while !base.isEmpty, base.utf8.count + words.utf8.count + suffix.utf8.count > 255 { base.removeLast() }
        return base + words + suffix
    }

    private static func padded(_ number: Int, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}
