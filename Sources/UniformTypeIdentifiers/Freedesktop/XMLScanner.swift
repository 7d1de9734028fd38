/// The name and namespace of the root element of an XML document. They distinguish documents of different vocabularies.
///
/// Reads UTF-8, and every encoding that agrees with ASCII, from the first bytes of a document. It does not validate,
/// and returns `nil` for anything that it does not understand.
struct XMLRootElement: Hashable {
    /// The element's name without its prefix.
    let localName: String
    /// The namespace of the element; empty if it has none.
    let namespace: String

    /// Finds the first element of a document.
    init?(_ document: UnsafeRawBufferPointer) {
        var scanner = XMLScanner(document)
        guard scanner.skipProlog(), let name = scanner.name() else { return nil }
        let parts = name.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let declaration = parts.count == 2 ? "xmlns:" + parts[0] : "xmlns"
        var namespace = ""
        while let attribute = scanner.attribute() {
            if attribute.name == declaration { namespace = attribute.value }
        }
        self.localName = parts.last.map { String($0) } ?? name
        self.namespace = namespace
    }

    init(localName: String, namespace: String) {
        self.localName = localName
        self.namespace = namespace
    }
}

/// A scanner that steps through the markup of an XML document, byte by byte and without ever going back.
///
/// It is for documents that are known to be simple (the files of the MIME database), and for the first bytes of other
/// documents.
struct XMLScanner {
    private let bytes: UnsafeRawBufferPointer
    private var position = 0

    init(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
        _ = skip("\u{FEFF}")
    }

    /// Skips white space, the XML declaration, processing instructions, comments and the document type, and the `<` of
    /// the first element. Returns `false` if anything else is found.
    mutating func skipProlog() -> Bool {
        while true {
            skipSpace()
            guard skip("<") else { return false }
            if skip("?") {
                guard skipPast("?>") else { return false }
            } else if skip("!--") {
                guard skipPast("-->") else { return false }
            } else if skip("!") {
                guard skipDeclaration() else { return false }
            } else {
                return true
            }
        }
    }

    /// Reads the name at the current position; `nil` if there is none.
    mutating func name() -> String? {
        let start = position
        while let byte = peek(), Self.isNameByte(byte) { position += 1 }
        guard position > start, !Self.isDigitLike(bytes[start]) else { return nil }
        return String(decoding: bytes[start..<position], as: UTF8.self)
    }

    /// Reads the next attribute of the current element; `nil` at the end of its tag.
    mutating func attribute() -> (name: String, value: String)? {
        skipSpace()
        guard let name = name() else { return nil }
        skipSpace()
        guard skip("=") else { return nil }
        skipSpace()
        guard let quote = peek(), quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else { return nil }
        position += 1
        let start = position
        while let byte = peek(), byte != quote { position += 1 }
        guard peek() == quote else { return nil }
        defer { position += 1 }
        return (name, Self.decoded(bytes[start..<position]))
    }

    /// Moves past the `<` of the next start tag, at any depth. Returns `false` if there is none.
    mutating func skipToElement() -> Bool {
        while skipPast("<") {
            if skip("!--") {
                guard skipPast("-->") else { return false }
            } else if let byte = peek(), Self.isNameByte(byte) {
                return true
            }
        }
        return false
    }

    /// Moves past the end of the current tag, and reads the text up to the next markup.
    mutating func text() -> String? {
        guard skipPast(">") else { return nil }
        let start = position
        while let byte = peek(), byte != UInt8(ascii: "<") { position += 1 }
        return Self.decoded(bytes[start..<position])
    }

    /// Skips `<!DOCTYPE …>` with its internal subset, whose declarations have angle brackets of their own.
    private mutating func skipDeclaration() -> Bool {
        var depth = 1
        while let byte = peek() {
            position += 1
            switch byte {
            case UInt8(ascii: "<"): depth += 1
            case UInt8(ascii: ">"): depth -= 1
            case UInt8(ascii: "\""), UInt8(ascii: "'"):
                while let inner = peek(), inner != byte { position += 1 }
                position += 1
            default: break
            }
            if depth == 0 { return true }
        }
        return false
    }

    private func peek() -> UInt8? {
        position < bytes.count ? bytes[position] : nil
    }

    private mutating func skipSpace() {
        while let byte = peek(), byte == 0x20 || (0x09...0x0D).contains(byte) { position += 1 }
    }

    private mutating func skip(_ text: StaticString) -> Bool {
        text.withUTF8Buffer { text in
            guard bytes.count - position >= text.count, bytes[position..<position + text.count].elementsEqual(text)
            else { return false }
            position += text.count
            return true
        }
    }

    private mutating func skipPast(_ text: StaticString) -> Bool {
        while position < bytes.count {
            if skip(text) { return true }
            position += 1
        }
        return false
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: ":"), UInt8(ascii: "_"), UInt8(ascii: "-"),
            UInt8(ascii: "."), 0x80...0xFF:
            true
        default: false
        }
    }

    /// Whether a byte may be within a name, but not at its start.
    private static func isDigitLike(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || byte == UInt8(ascii: "-")
            || byte == UInt8(ascii: ".")
    }

    /// Returns text with the five predefined entities replaced; other references stay as they are.
    private static func decoded(_ bytes: Slice<UnsafeRawBufferPointer>) -> String {
        let text = String(decoding: bytes, as: UTF8.self)
        guard text.utf8.contains(UInt8(ascii: "&")) else { return text }
        var result = ""
        var rest = text[...]
        while let start = rest.firstIndex(of: "&") {
            result += rest[..<start]
            rest = rest[start...]
            let entities = [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&apos;", "'"), ("&amp;", "&")]
            if let (entity, character) = entities.first(where: { rest.hasPrefix($0.0) }) {
                result += character
                rest = rest.dropFirst(entity.count)
            } else {
                result += "&"
                rest = rest.dropFirst()
            }
        }
        return result + rest
    }
}
