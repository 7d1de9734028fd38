import LinuxSystem

/// Reads the X11 authority file. Each entry consists of a family, an address, a display number, a method and the
/// method's data. The family is a number. Each of the other four parts is preceded by its length. Numbers and lengths
/// have two bytes in big-endian order (Xau(3)).
package enum XAuthority {
    /// The maximum size in bytes of a file that is read. A typical file has a few hundred bytes.
    private static let largest = 1 << 20

    /// Returns the entries, in the user's authority file, for the display of this machine with the given number. Blocks
    /// on the file system.
    static func ofThisUser(forDisplay number: Int) -> [UInt8] {
        let path =
            DisplayConnection.variable("XAUTHORITY")
            ?? DisplayConnection.variable("HOME").map { $0 + "/.Xauthority" }
        guard let path, let file = try? FileDescriptor.open(path, [.readOnly, .nonBlocking]),
            let bytes = try? file.readToEnd(limit: largest)
        else { return [] }
        return entries(bytes, forDisplay: number)
    }

    /// Returns those entries of an authority file that are for the display of this machine with the given number.
    /// Entries for other displays must not be disclosed to an extension. Parsing ends at a truncated entry.
    package static func entries(_ file: [UInt8], forDisplay number: Int) -> [UInt8] {
        var kept: [UInt8] = []
        var rest = file[...]
        while rest.count >= 2 {
            let family = Int(rest[rest.startIndex]) << 8 | Int(rest[rest.startIndex + 1])
            var entry = rest.prefix(2)
            var parts: [ArraySlice<UInt8>] = []
            for _ in 0..<4 {
                guard let part = counted(rest[entry.endIndex...]) else { return kept }
                parts.append(part)
                entry = rest[entry.startIndex..<part.endIndex]
            }
            // An entry without a number is for all displays.
            if [local, wild].contains(family), parts[1].isEmpty || parts[1].elementsEqual("\(number)".utf8) {
                kept += entry
            }
            rest = rest[entry.endIndex...]
        }
        return kept
    }

    private static func counted(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        guard bytes.count >= 2 else { return nil }
        let count = Int(bytes[bytes.startIndex]) << 8 | Int(bytes[bytes.startIndex + 1])
        let part = bytes.dropFirst(2).prefix(count)
        return part.count == count ? part : nil
    }

    /// The numbers of two families: this machine, and any machine (`FamilyLocal`, `FamilyWild`).
    private static let (local, wild) = (256, 65535)
}
