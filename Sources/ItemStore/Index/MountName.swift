import ItemValues

/// Converts the names of items to valid file names.
package enum MountName {
    /// The maximum length of a file name, in bytes of UTF-8.
    package static let limit = 255

    /// Returns the given name if it is a valid file name, otherwise the most similar valid name.
    ///
    /// A slash becomes a division slash (U+2215), which looks alike. Control characters become `_`. `.`, `..` and the
    /// empty name get an underscore. The stem of a name that is too long is shortened. The result depends on the name
    /// alone.
    package static func mended(_ name: String) -> String {
        isValid(name) ? name : mend(name)
    }

    /// Whether the given name is a valid file name.
    package static func isValid(_ name: String) -> Bool {
        var name = name
        return name.withUTF8 { bytes in
            guard !bytes.isEmpty, bytes.count <= limit else { return false }
            var others = false
            for byte in bytes {
                if byte < 0x20 || byte == UInt8(ascii: "/") || byte == 0x7F { return false }
                if byte != UInt8(ascii: ".") { others = true }
            }
            return others || bytes.count > 2
        }
    }

    private static func mend(_ name: String) -> String {
        var mended = String.UnicodeScalarView()
        for scalar in name.unicodeScalars {
            switch scalar.value {
            case 0x2F: mended.append("\u{2215}")
            case 0..<0x20, 0x7F: mended.append("_")
            default: mended.append(scalar)
            }
        }
        switch String(mended) {
        case "": return "_"
        case ".": return "_."
        case "..": return "_.."
        case let whole: return joined(split(whole), suffix: "")
        }
    }

    /// Returns the given name with a number, such as "name 2.ext", for an item whose name another item already has.
    ///
    /// - Parameter name: A valid name.
    package static func numbered(_ name: String, _ number: Int) -> String {
        joined(split(name), suffix: " \(number)")
    }

    /// Whether `name` is the result of ``numbered(_:_:)`` for the given name and any number.
    static func isNumbered(_ name: String, from base: String) -> Bool {
        let stem = split(name).stem
        guard let space = stem.lastIndex(of: " "), let number = Int(stem[space...].dropFirst()) else { return false }
        return numbered(base, number).hasSameBytes(as: name)
    }

    /// Splits a name into its stem and its extension. The extension includes the dot. A name whose only dot is its
    /// first character has no extension. A name with more than 31 bytes after the last dot, probably a sentence, has
    /// none either.
    private static func split(_ name: String) -> (stem: String, ending: String) {
        let scalars = name.unicodeScalars
        guard let dot = scalars.lastIndex(of: "."), dot != scalars.startIndex else { return (name, "") }
        let ending = String(scalars[dot...])
        guard ending.utf8.count > 1, ending.utf8.count <= 32 else { return (name, "") }
        return (String(scalars[..<dot]), ending)
    }

    /// Returns the name that consists of the stem, the suffix and the extension. If the name would exceed ``limit``,
    /// shortens the stem between two characters.
    private static func joined(_ parts: (stem: String, ending: String), suffix: String) -> String {
        let room = limit - parts.ending.utf8.count - suffix.utf8.count
        return cut(parts.stem, to: room) + suffix + parts.ending
    }

    private static func cut(_ text: String, to room: Int) -> String {
        guard text.utf8.count > room else { return text }
        var kept = ""
        for character in text {
            guard kept.utf8.count + character.utf8.count <= room else { break }
            kept.append(character)
        }
        if !kept.isEmpty { return kept }
        // A single character may exceed the limit; it is cut between its scalars.
        var scalars = String.UnicodeScalarView()
        var count = 0
        for scalar in text.unicodeScalars {
            count += UTF8.width(scalar)
            guard count <= room else { break }
            scalars.append(scalar)
        }
        return String(scalars)
    }
}

extension String {
    func hasBytes(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var text = self
        return text.withUTF8 { text in UnsafeRawBufferPointer(text).hasSameBytes(as: bytes) }
    }
}
