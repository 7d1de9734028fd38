import HTTPTransport

/// The path in an `href`, which is an absolute address, an absolute path, or a path relative to the listed directory.
///
/// Scheme and host are ignored, because a server behind a proxy may not know those that the client uses.
struct DAVHref {
    /// The names in the path, decoded. They are bytes, because some servers have names that are not UTF-8.
    let components: [[UInt8]]

    /// Parses an `href`. Returns `nil` if it contains the component `..`.
    init?(_ text: String, in directory: [[UInt8]] = []) {
        var bytes = Array(text.utf8)[...]
        var components: [[UInt8]] = []
        if let scheme = Self.schemeLength(bytes) {
            bytes = bytes.dropFirst(scheme).drop { $0 != UInt8(ascii: "/") }
        } else if bytes.first != UInt8(ascii: "/") {
            components = directory
        }
        for part in bytes.split(separator: UInt8(ascii: "/")) {
            let name = Self.decoded(part)
            switch name {
            case [UInt8(ascii: ".")] where part.count == 1: continue
            case [UInt8(ascii: "."), UInt8(ascii: ".")]: return nil
            default: components.append(name)
            }
        }
        self.components = components
    }

    /// The path, decoded once more, for an `href` that is encoded twice.
    var decodedAgain: DAVHref { DAVHref(components.map { Self.decoded($0[...]) }) }

    private init(_ components: [[UInt8]]) { self.components = components }

    /// Returns the number of bytes of `http://` or `https://` at the beginning.
    private static func schemeLength(_ bytes: ArraySlice<UInt8>) -> Int? {
        guard let colon = bytes.prefix(6).firstIndex(of: UInt8(ascii: ":")),
            bytes[colon...].starts(with: "://".utf8),
            ["http", "https"].contains(String(decoding: bytes[..<colon], as: UTF8.self).lowercased())
        else { return nil }
        return colon - bytes.startIndex + 3
    }

    /// Decodes `%XX`. Any other percent sign stays as it is, because a server that did not encode it can only mean the
    /// character itself.
    private static func decoded(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        guard bytes.contains(UInt8(ascii: "%")) else { return Array(bytes) }
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        var index = bytes.startIndex
        while index < bytes.endIndex {
            if bytes[index] == UInt8(ascii: "%"), index + 2 < bytes.endIndex, let high = digit(bytes[index + 1]),
                let low = digit(bytes[index + 2])
            {
                result.append(high << 4 | low)
                index += 3
            } else {
                result.append(bytes[index])
                index += 1
            }
        }
        return result
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }

    /// Returns a name as text; `nil` if no file on this machine can have the name: it is empty or `.`, is not UTF-8, or
    /// contains a slash or NUL.
    static func name(_ bytes: [UInt8]) -> String? {
        guard !bytes.isEmpty, !bytes.contains(0), !bytes.contains(UInt8(ascii: "/")), bytes != [UInt8(ascii: ".")]
        else { return nil }
        return String(validating: bytes, as: UTF8.self)
    }

    /// Whether a server may treat two names as the same: their bytes are equal, or they differ only in Unicode
    /// normalization or case.
    static func isSame(_ one: [UInt8], _ other: [UInt8]) -> Bool {
        if one == other { return true }
        // Strings compare as equal if they are canonically equivalent.
        return String(decoding: one, as: UTF8.self).lowercased() == String(decoding: other, as: UTF8.self).lowercased()
    }

    /// The relation of a path to a directory.
    enum Place: Equatable {
        case itself
        case child([UInt8])
        case deeper
        case elsewhere
    }

    /// Returns the path's relation to a directory.
    func place(in directory: [[UInt8]]) -> Place {
        guard components.count >= directory.count,
            zip(components, directory).allSatisfy({ Self.isSame($0, $1) })
        else { return .elsewhere }
        switch components.count - directory.count {
        case 0: return .itself
        case 1: return components.last.map { .child($0) } ?? .itself
        default: return .deeper
        }
    }
}
