import Foundation

/// JSON on standard output, for people and scripts.
enum JSONOutput {
    /// Prints a value and a line end.
    ///
    /// - Parameter onOneLine: for commands that print one value after the other.
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

/// Text of others in a line of ours.
enum OneLine {
    /// The text with control characters replaced, so that nobody's name moves the cursor or begins a line.
    static func text(_ text: String) -> String {
        String(
            String.UnicodeScalarView(
                text.unicodeScalars.map { $0.properties.generalCategory == .control ? "\u{FFFD}" : $0 }))
    }
}
