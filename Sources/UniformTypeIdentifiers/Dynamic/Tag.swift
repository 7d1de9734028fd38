/// A tag that is valid in its class, in lower case if the class ignores case.
struct Tag {
    let text: String
    let tagClass: UTTagClass

    /// Creates a tag.
    ///
    /// - Returns: nil if `text` cannot be a tag of the class: a filename extension with a slash or a control
    ///   character, or a MIME type that is not two names around a slash.
    init?(_ text: String, of tagClass: UTTagClass) {
        guard Self.isPossible(text, of: tagClass) else { return nil }
        self.tagClass = tagClass
        let ignoresCase = tagClass == .filenameExtension || tagClass == .mimeType
        self.text = ignoresCase ? Self.lowercased(text) : text
    }

    /// Whether `text` can be a tag of the class.
    static func isPossible(_ text: String, of tagClass: UTTagClass) -> Bool {
        guard !tagClass.rawValue.isEmpty, !text.utf8.contains(0) else { return false }
        return switch tagClass {
        case .filenameExtension:
            !text.utf8.contains { $0 == UInt8(ascii: "/") || $0 < 0x20 || $0 == 0x7F }
        case .mimeType: isMIMEType(text)
        default: true
        }
    }

    /// The MIME type without its parameters.
    var essence: Substring {
        let end = text.firstIndex(of: ";") ?? text.endIndex
        return text[..<(text[..<end].lastIndex { $0 != " " && $0 != "\t" }.map { text.index(after: $0) } ?? end)]
    }

    /// Whether `text` starts as RFC 2045 requires: two tokens around a slash, and parameters after a semicolon, if
    /// any.
    private static func isMIMEType(_ text: String) -> Bool {
        var slashes = 0
        var length = 0
        var isOver = false
        for byte in text.utf8 {
            if byte == UInt8(ascii: ";") {
                break
            }
            if byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") {
                isOver = true
                continue
            }
            guard !isOver else { return false }
            if byte == UInt8(ascii: "/") {
                guard length > 0 else { return false }
                slashes += 1
                length = 0
            } else {
                guard byte > 0x20, byte < 0x7F, !separators.contains(byte) else { return false }
                length += 1
            }
        }
        return slashes == 1 && length > 0 && !text.utf8.contains { $0 < 0x20 && $0 != 9 || $0 == 0x7F }
    }

    /// Characters that RFC 2045 excludes from the names of types.
    private static let separators = Array("()<>@,:\\\"[]?=".utf8)

    private static func lowercased(_ text: String) -> String {
        text.utf8.contains { $0 &- 0x41 < 26 || $0 >= 128 } ? text.lowercased() : text
    }
}
