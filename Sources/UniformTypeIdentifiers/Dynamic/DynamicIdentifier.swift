/// A decoded dynamic type identifier (`dyn.a…`): a tag, its class, and the types that the type conforms to.
///
/// The identifier is the base-32 form of a short text, the payload: `?0=<parent>,…:<class>=<tag>`, or `<class>=<tag>`
/// without a parent. Common identifiers are abbreviated to a hexadecimal code, and `:` `=` `,` `\` inside a value are
/// escaped with a backslash. The same tag, class and parents give the same identifier on every machine, so it can be
/// stored and decoded again.
package struct DynamicIdentifier: Sendable, Equatable {
    /// Identifiers of the types to which the dynamic type conforms. An abbreviation with an unknown code is preserved
    /// as it is.
    package var parents: [String]
    /// The class of the tag, such as `public.filename-extension`.
    package var tagClass: String
    package var tag: String

    /// The start of every dynamic identifier; the letter after the dot is the version of the encoding.
    package static let prefix = "dyn.a"

    /// Decodes a dynamic identifier.
    ///
    /// - Returns: nil if `identifier` is not a dynamic type identifier, or is damaged.
    package init?(_ identifier: String) {
        guard identifier.utf8.starts(with: Self.prefix.utf8),
            let bytes = Base32.decode(identifier.utf8.dropFirst(Self.prefix.utf8.count)),
            let payload = String(validating: bytes, as: UTF8.self)
        else { return nil }
        self.init(payload: payload)
    }

    package init(parents: [String], tagClass: String, tag: String) {
        self.parents = parents
        self.tagClass = tagClass
        self.tag = tag
    }

    /// Returns the identifier: `dyn.a` and the payload in base 32.
    package func encoded() -> String {
        var result = Array(Self.prefix.utf8)
        Base32.encode(payloadBytes, into: &result)
        return String(decoding: result, as: UTF8.self)
    }

    /// The text that the identifier encodes.
    package var payload: String { String(decoding: payloadBytes, as: UTF8.self) }

    private var payloadBytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(16 + tag.utf8.count)
        if parents.count == 1, parents[0] == Self.codes[6], tagClass == Self.codes[1] {
            // The most common case: a filename extension of data.
            bytes.append(contentsOf: "?0=6:1=".utf8)
            Self.append(escaping: tag, to: &bytes)
            return bytes
        }
        if !parents.isEmpty {
            bytes.append(contentsOf: "?0=".utf8)
            for (number, parent) in parents.enumerated() {
                if number > 0 {
                    bytes.append(UInt8(ascii: ","))
                }
                Self.append(abbreviating: parent, to: &bytes)
            }
            bytes.append(UInt8(ascii: ":"))
        }
        Self.append(abbreviating: tagClass, to: &bytes)
        bytes.append(UInt8(ascii: "="))
        Self.append(escaping: tag, to: &bytes)
        return bytes
    }

    private static func append(abbreviating identifier: String, to bytes: inout [UInt8]) {
        if let code = codes.firstIndex(of: identifier) {
            bytes.append(contentsOf: String(code, radix: 16, uppercase: true).utf8)
        } else {
            append(escaping: identifier, to: &bytes)
        }
    }

    private static func append(escaping value: String, to bytes: inout [UInt8]) {
        for byte in value.utf8 {
            if isSpecial(byte) {
                bytes.append(UInt8(ascii: "\\"))
            }
            bytes.append(byte)
        }
    }

    /// Whether a character has a special meaning in a payload.
    private static func isSpecial(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: ":"), UInt8(ascii: "="), UInt8(ascii: ","), UInt8(ascii: "\\"): true
        default: false
        }
    }

    /// The identifiers with a code; the index in the list is the code.
    private static let codes = [
        "UTTypeConformsTo", "public.filename-extension", "com.apple.ostype", "public.mime-type",
        "com.apple.nspboard-type", "public.url-scheme", "public.data", "public.text", "public.plain-text",
        "public.utf16-plain-text", "com.apple.traditional-mac-plain-text", "public.image", "public.video",
        "public.audio", "public.directory", "public.folder", "com.apple.package",
    ]

    /// Reads a payload.
    ///
    /// - Returns: nil if it does not have the form that is described for this type, with exactly one tag.
    package init?(payload: String) {
        var text = Substring(payload)
        let isKeyed = text.first == "?"
        if isKeyed {
            text.removeFirst()
        }
        var parents: [String] = []
        var tag: (tagClass: String, tag: String)?
        for field in Self.split(text, at: ":") {
            let sides = Self.split(field, at: "=")
            guard sides.count == 2, let key = Self.unescape(sides[0]), !key.isEmpty else { return nil }
            let name = Self.expand(key)
            if name == Self.codes[0] {
                guard isKeyed, parents.isEmpty, tag == nil else { return nil }
                for value in Self.split(sides[1], at: ",") {
                    guard let parent = Self.unescape(value), !parent.isEmpty else { return nil }
                    parents.append(Self.expand(parent))
                }
            } else {
                guard tag == nil, Self.split(sides[1], at: ",").count == 1, let value = Self.unescape(sides[1]) else {
                    return nil
                }
                tag = (name, value)
            }
        }
        // The question mark is present if and only if there are parents.
        guard let tag, isKeyed == !parents.isEmpty else { return nil }
        self.init(parents: parents, tagClass: tag.tagClass, tag: tag.tag)
    }

    /// Splits `text` at the separators that are not escaped. The pieces keep their backslashes.
    private static func split(_ text: Substring, at separator: Unicode.Scalar) -> [Substring] {
        var pieces: [Substring] = []
        let scalars = text.unicodeScalars
        var start = scalars.startIndex
        var index = start
        while index < scalars.endIndex {
            if scalars[index] == "\\" {
                index = scalars.index(after: index)
                if index == scalars.endIndex {
                    break
                }
            } else if scalars[index] == separator {
                pieces.append(text[start..<index])
                start = scalars.index(after: index)
            }
            index = scalars.index(after: index)
        }
        pieces.append(text[start..<scalars.endIndex])
        return pieces
    }

    /// Returns `text` without its backslashes; nil if a backslash precedes an ordinary character, or if a special
    /// character has no backslash.
    private static func unescape(_ text: Substring) -> String? {
        var result = String.UnicodeScalarView()
        var isEscaped = false
        for scalar in text.unicodeScalars {
            let isSpecial = scalar.isASCII && Self.isSpecial(UInt8(scalar.value))
            if isEscaped {
                guard isSpecial else { return nil }
                isEscaped = false
                result.append(scalar)
            } else if scalar == "\\" {
                isEscaped = true
            } else {
                guard !isSpecial else { return nil }
                result.append(scalar)
            }
        }
        return isEscaped ? nil : String(result)
    }

    /// Returns the identifier that `name` abbreviates, or `name`.
    private static func expand(_ name: String) -> String {
        guard name.utf8.count <= 2, let code = Int(name, radix: 16), codes.indices.contains(code),
            String(code, radix: 16, uppercase: true) == name
        else { return name }
        return codes[code]
    }
}
