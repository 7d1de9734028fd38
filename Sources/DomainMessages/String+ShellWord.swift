extension String {
    /// This text as one word for a shell, in quotes if necessary. It is used in commands that users copy from a
    /// message.
    package var shellWord: String {
        let isPlain = !isEmpty && utf8.allSatisfy { Self.plain.contains($0) } && !hasPrefix("-")
        guard !isPlain else { return self }
        // Within double quotes, an interactive bash would still replace a word after an exclamation mark.
        if contains("!") {
            return "'" + split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
        }
        let escaped = map { "\"\\$`".contains($0) ? "\\\($0)" : String($0) }.joined()
        return "\"\(escaped)\""
    }

    private static let plain = Set(
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.,:@%+/=".utf8)
}
