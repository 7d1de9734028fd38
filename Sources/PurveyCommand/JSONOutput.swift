import Foundation

/// JSON on standard output, for users and scripts.
enum JSONOutput {
    /// Prints a value and a line end.
    ///
    /// - Parameter onOneLine: `true` for commands that print one value after the other.
    static func print(_ value: some Encodable, onOneLine: Bool = false) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        if !onOneLine { encoder.outputFormatting.insert(.prettyPrinted) }
        var output = StandardOutput()
        try output.write(try encoder.encode(value))
        try output.write("\n")
        try output.flush()
    }
}

/// Text of other programs in a line of output.
enum OneLine {
    /// Returns the text with control characters replaced, so that it neither moves the cursor, starts a line nor
    /// reverses the direction of the following text.
    static func text(_ text: String) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.map { isHarmless($0) ? $0 : "\u{FFFD}" }))
    }

    private static func isHarmless(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: false
        // Marks change the direction of the following text. Joiners are part of words.
        case .format: !(0x202A...0x202E).contains(scalar.value) && !(0x2066...0x2069).contains(scalar.value)
        default: true
        }
    }
}
