import Foundation

/// Converts text to the form in which a search compares it: without differences of case, accents and character widths.
enum FoldedText {
    /// Returns the folded Unicode scalars of the given text.
    static func scalars(of text: String) -> [UInt32] {
        var text = text
        let plain = text.withUTF8 { bytes -> [UInt32]? in
            var scalars: [UInt32] = []
            scalars.reserveCapacity(bytes.count)
            for byte in bytes {
                guard byte < 0x80 else { return nil }
                scalars.append(UInt32(byte &- 0x41 < 26 ? byte | 0x20 : byte))
            }
            return scalars
        }
        if let plain { return plain }
        // Folding makes composed and decomposed forms equal.
        let folded = text.folding(options: [.caseInsensitive, .diacriticInsensitive, .widthInsensitive], locale: nil)
        return folded.unicodeScalars.map(\.value)
    }

    /// Whether a word may begin at the given position of a text. A word begins after a scalar that is not part of a
    /// word, at each punctuation mark, and at each character of a script without spaces.
    static func isStart(_ place: Int, of scalars: [UInt32]) -> Bool {
        let scalar = scalars[place]
        guard isPartOfWords(scalar) else { return scalar != 0x20 }
        return place == 0 || scalar >= 0x2E80 || !isPartOfWords(scalars[place - 1])
    }

    private static func isPartOfWords(_ scalar: UInt32) -> Bool {
        switch scalar {
        case 0x30...0x39, 0x61...0x7A, 0x41...0x5A: true
        case ..<0xC0, 0x2000...0x206F, 0x3000...0x303F: false
        default: true
        }
    }
}

/// One search term: a word, or several words with spaces between them.
struct SearchTerm {
    private let scalars: [UInt32]

    /// Creates a term; `nil` if the given text has no character other than spaces.
    init?(_ text: String) {
        var scalars = FoldedText.scalars(of: text)[...]
        while scalars.first == 0x20 { scalars.removeFirst() }
        while scalars.last == 0x20 { scalars.removeLast() }
        guard !scalars.isEmpty else { return nil }
        self.scalars = Array(scalars)
    }

    /// Whether the term has only one or two characters. Such a term matches only where a word begins.
    private var isShort: Bool { scalars.count < 3 }

    /// Returns how well the term matches the given name: a greater number is better; `nil` if it does not match.
    func quality(in name: [UInt32]) -> Int? {
        guard scalars.count <= name.count else { return nil }
        var best: Int?
        for place in 0...(name.count - scalars.count) where name[place] == scalars[0] {
            guard name[place..<place + scalars.count].elementsEqual(scalars) else { continue }
            if place == 0 { return name.count == scalars.count ? 3 : 2 }
            if FoldedText.isStart(place, of: name) {
                best = 1
            } else if !isShort {
                best = max(best ?? 0, 0)
            }
        }
        if isShort, best == nil { return nil }
        return best
    }

    /// The tokens that the search index has for every name that contains this term.
    var tokens: [[UInt8]] {
        var writer = TokenWriter()
        if isShort {
            writer.add(scalars[...])
        } else {
            for place in 0...(scalars.count - 3) { writer.add(scalars[place..<place + 3]) }
        }
        return writer.text.split(separator: UInt8(ascii: " ")).map(Array.init)
    }
}

/// Writes the tokens under which a name is found: all runs of three characters, and runs of one or two characters where
/// a word begins.
///
/// The tokenizer of the search index treats every character beyond ASCII as part of a word. Therefore ASCII punctuation
/// is mapped to characters beyond ASCII.
struct TokenWriter {
    private(set) var text: [UInt8] = []

    mutating func clear() { text.removeAll(keepingCapacity: true) }

    mutating func add(name: [UInt32]) {
        for place in name.indices {
            if place + 3 <= name.count { add(name[place..<place + 3]) }
            guard FoldedText.isStart(place, of: name) else { continue }
            add(name[place..<place + 1])
            if place + 2 <= name.count { add(name[place..<place + 2]) }
        }
    }

    mutating func add(_ scalars: ArraySlice<UInt32>) {
        for scalar in scalars {
            switch scalar {
            case 0x30...0x39, 0x61...0x7A: text.append(UInt8(truncatingIfNeeded: scalar))
            case ..<0x80: addBeyondASCII(0x180 + scalar)
            default: addBeyondASCII(scalar)
            }
        }
        text.append(UInt8(ascii: " "))
    }

    /// Appends a token for a property other than the name. Its first scalar is one for private use, so that no name
    /// contains the token.
    mutating func add(_ kind: UInt32, number: Int64) {
        addBeyondASCII(kind)
        text += String(number, radix: 36).utf8.map { $0 == UInt8(ascii: "-") ? UInt8(ascii: "z") : $0 }
        text.append(UInt8(ascii: " "))
    }

    private mutating func addBeyondASCII(_ value: UInt32) {
        // Surrogates are not scalars, and no text decodes to one.
        guard let scalar = Unicode.Scalar(value) else { return }
        text += UTF8.encode(scalar).map(Array.init) ?? []
    }
}
