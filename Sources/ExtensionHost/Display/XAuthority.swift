import LinuxSystem

/// The X11 authority file. It consists of entries with a family, an address, a display number, a method and its data.
/// Each of the last four is preceded by its length. All numbers have two bytes in big-endian order (Xau(3)).
package enum XAuthority {
    /// The maximum size in bytes. A usual file has a few hundred.
    private static let largest = 1 << 20

    /// Returns the entries of the user's file for a display of this machine. Blocks on the file system.
    static func ofThisUser(forDisplay number: Int) -> [UInt8] {
        let path =
            DisplayConnection.variable("XAUTHORITY")
            ?? DisplayConnection.variable("HOME").map { $0 + "/.Xauthority" }
        guard let path, let file = try? FileDescriptor.open(path, [.readOnly, .nonBlocking]),
            let bytes = try? file.readToEnd(limit: largest)
        else { return [] }
        return entries(bytes, forDisplay: number)
    }

    /// Returns the entries of a file for a display of this machine. Entries of other displays must not be disclosed.
    /// Parsing ends at a truncated entry.
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

    /// The families for this machine and for any machine (`FamilyLocal`, `FamilyWild`).
    private static let (local, wild) = (256, 65535)
}
