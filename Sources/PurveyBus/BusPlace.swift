import DomainMessages
import LinuxSystem

/// Parses the places in a call. A place is an absolute path, a `file:` address, or `DOMAIN:path`.
///
/// The parser does not access the file system, because an access might wait for a provider. Therefore symbolic links
/// are not followed.
enum BusPlace {
    /// Returns the place that the given text denotes.
    ///
    /// - Throws: an error if the text has none of the three forms.
    static func place(_ text: String) throws(BusError) -> ItemPlace {
        if text.hasPrefix("file:") { return try path(ofAddress: text) }
        if text.utf8.first == UInt8(ascii: "/") { return ItemPlace(text: text, path: plain(text)) }
        guard let colon = text.firstColon, colon != text.startIndex else {
            throw BusError(
                .invalidPath, "\(shortened(text)): neither an absolute path, nor a file's address, nor DOMAIN:PATH")
        }
        return ItemPlace(text: text, path: "")
    }

    private static func path(ofAddress text: String) throws(BusError) -> ItemPlace {
        let rest = text.utf8.dropFirst("file:".utf8.count)
        guard rest.starts(with: "//".utf8) else {
            guard rest.first == UInt8(ascii: "/") else {
                throw BusError(.invalidPath, "\(shortened(text)): not a file's address")
            }
            return try path(ofEncoded: rest, text)
        }
        let body = rest.dropFirst(2)
        let path = body.drop { $0 != UInt8(ascii: "/") }
        let host = Substring(body.prefix { $0 != UInt8(ascii: "/") })
        guard host.isEmpty || host == "localhost", !path.isEmpty else {
            throw BusError(.invalidPath, "\(shortened(text)): not the address of a file of this machine")
        }
        return try self.path(ofEncoded: path, text)
    }

    private static func path(ofEncoded encoded: Substring.UTF8View, _ text: String) throws(BusError) -> ItemPlace {
        var bytes: [UInt8] = []
        var rest = encoded[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = rest.popFirst().flatMap(digit), let low = rest.popFirst().flatMap(digit) else {
                throw BusError(.invalidPath, "\(shortened(text)): a % without two digits")
            }
            bytes.append(high << 4 | low)
        }
        guard !bytes.contains(0), let path = String(validating: bytes, as: UTF8.self) else {
            throw BusError(.invalidPath, "\(shortened(text)): the path is not UTF-8")
        }
        return ItemPlace(text: path, path: plain(path))
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        Character(Unicode.Scalar(byte)).hexDigitValue.map { UInt8($0) }
    }

    /// Returns the path without `.` and empty names. Each `..` removes the name before it.
    private static func plain(_ path: String) -> String {
        var names: [String] = []
        for name in path.pathNames where name != "." {
            if name == ".." { _ = names.popLast() } else { names.append(name) }
        }
        return "/" + names.joined(separator: "/")
    }

    /// Returns the beginning of a text, for an error message.
    private static func shortened(_ text: String) -> String { text.count > 200 ? text.prefix(200) + "…" : text }
}
